#pragma once

#include "training/task.h"

namespace zoo {

/// Tell which class a text belongs to: cross-entropy in nats per text, accuracy, macro F1, and the
/// confusion matrix.
class TextClassificationTask : public Task {
 public:
  explicit TextClassificationTask(double label_smoothing) : label_smoothing_(label_smoothing) {}

  /// logits [B, K], targets [B].
  LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const override;
  void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const override;

 private:
  double label_smoothing_;
};

}  // namespace zoo
