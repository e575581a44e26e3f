#include "training/text_classification_task.h"

#include <torch/types.h>

namespace zoo {
namespace {

/// Cross-entropy of each row -> [B].
torch::Tensor row_losses(const torch::Tensor& logits, const torch::Tensor& targets,
                         double label_smoothing) {
  return at::cross_entropy_loss(logits, targets, /*weight=*/{}, at::Reduction::None, kIgnored,
                                label_smoothing);
}

}  // namespace

LossSum TextClassificationTask::training_loss(const torch::Tensor& logits,
                                              const Batch& batch) const {
  return {row_losses(logits, batch.targets, label_smoothing_), torch::ones_like(batch.targets)};
}

void TextClassificationTask::measure(const torch::Tensor& logits, const Batch& batch,
                                     Figures& figures) const {
  const auto& targets = batch.targets;
  const auto K = logits.size(1);
  const auto answers = logits.argmax(1);
  const auto count = torch::ones_like(targets).sum();
  figures.add("loss", row_losses(logits, targets, 0.0).sum(torch::kFloat64), count);
  figures.add("accuracy", answers.eq(targets).sum(), count);
  figures.add_confusion((targets * K + answers).bincount({}, K * K).view({K, K}));
}

}  // namespace zoo
