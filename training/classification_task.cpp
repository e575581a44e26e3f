#include "training/classification_task.h"

#include <torch/types.h>

namespace zoo {
namespace {

/// Answers beside the likeliest that top5_accuracy looks at.
constexpr std::int64_t kTop = 5;

/// Cross-entropy of each row -> [B].
torch::Tensor row_losses(const torch::Tensor& logits, const torch::Tensor& targets,
                         double label_smoothing) {
  return at::cross_entropy_loss(logits, targets, /*weight=*/{}, at::Reduction::None, kIgnored,
                                label_smoothing);
}

/// How many rows, their confidence and their right answers, by how sure the model was: [3, bins].
torch::Tensor calibration_bins(const torch::Tensor& confidence, const torch::Tensor& right) {
  const auto bin =
      (confidence * kCalibrationBins).to(torch::kInt64).clamp_max(kCalibrationBins - 1);
  const auto sum = [&](const torch::Tensor& values) {
    return bin.bincount(values.to(torch::kFloat64), kCalibrationBins);
  };
  return torch::stack({sum(torch::ones_like(confidence)), sum(confidence), sum(right)});
}

}  // namespace

LossSum ClassificationTask::training_loss(const torch::Tensor& logits, const Batch& batch) const {
  return {row_losses(logits, batch.targets, label_smoothing_), torch::ones_like(batch.targets)};
}

void ClassificationTask::measure(const torch::Tensor& logits, const Batch& batch,
                                 Figures& figures) const {
  const auto& targets = batch.targets;
  const auto K = logits.size(1);
  const auto [confidence, answers] = logits.softmax(1).max(1);  // [B]
  const auto right = answers.eq(targets);
  const auto count = torch::ones_like(targets).sum();
  figures.add("loss", row_losses(logits, targets, 0.0).sum(torch::kFloat64), count);
  figures.add("accuracy", right.sum(), count);
  if (K > kTop) {
    const auto top = std::get<1>(logits.topk(kTop, 1));  // [B, 5]
    figures.add("top5_accuracy", top.eq(targets.unsqueeze(1)).sum(), count);
  }
  figures.add_calibration(calibration_bins(confidence, right));
  figures.add_confusion((targets * K + answers).bincount({}, K * K).view({K, K}));
}

}  // namespace zoo
