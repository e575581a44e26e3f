#include "training/language_model_task.h"

#include <torch/types.h>

namespace zoo {
namespace {

/// Of logits at every position, those that targets [B] are about -> [B, V]; others pass through.
torch::Tensor judged(const torch::Tensor& logits, const torch::Tensor& targets) {
  return logits.dim() == 3 && targets.dim() == 1 ? logits.select(1, -1) : logits;
}

/// Cross-entropy of each target, 0 where it is ignored -> [B, T] or [B].
torch::Tensor token_losses(const torch::Tensor& logits, const torch::Tensor& targets,
                           double label_smoothing) {
  return at::cross_entropy_loss(logits.flatten(0, -2), targets.reshape(-1), /*weight=*/{},
                                at::Reduction::None, kIgnored, label_smoothing)
      .view_as(targets);
}

}  // namespace

LossSum LanguageModelTask::training_loss(const torch::Tensor& logits, const Batch& batch) const {
  const auto rows = batch.targets.dim() == 1 ? batch.targets.unsqueeze(1) : batch.targets;
  const auto losses = token_losses(judged(logits, batch.targets), rows, label_smoothing_);
  return {losses.sum(1), rows.ne(kIgnored).sum(1)};
}

void LanguageModelTask::measure(const torch::Tensor& logits, const Batch& batch,
                                Figures& figures) const {
  const auto judged_logits = judged(logits, batch.targets);
  const auto losses = token_losses(judged_logits, batch.targets, /*label_smoothing=*/0.0);
  const auto count = batch.targets.ne(kIgnored).sum();
  figures.add("loss", losses.sum(torch::kFloat64), count);
  figures.add("accuracy", judged_logits.argmax(-1).eq(batch.targets).sum(), count);
}

}  // namespace zoo
