#pragma once

#include "training/task.h"

namespace zoo {

/// Predict the next token: cross-entropy in nats per predicted token, and accuracy.
class LanguageModelTask : public Task {
 public:
  /// `label_smoothing` in [0, 1) moves that share of the target onto all tokens evenly.
  explicit LanguageModelTask(double label_smoothing) : label_smoothing_(label_smoothing) {}

  /// logits [B, T, V] with targets [B, T], or targets [B] for the last position; logits [B, V] with
  /// targets [B].
  LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const override;
  void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const override;

 private:
  double label_smoothing_;
};

}  // namespace zoo
