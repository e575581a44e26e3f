#pragma once

#include "training/task.h"

namespace zoo {

/// Tell which class a text or an image belongs to: cross-entropy in nats, accuracy, of more than
/// five classes how often the right one is among the five likeliest, macro F1, expected calibration
/// error, and the confusion matrix.
class ClassificationTask : public Task {
 public:
  explicit ClassificationTask(double label_smoothing) : label_smoothing_(label_smoothing) {}

  /// logits [B, K], targets [B].
  LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const override;
  void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const override;

 private:
  double label_smoothing_;
};

}  // namespace zoo
