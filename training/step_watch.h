#pragma once

#include <cmath>
#include <cstdint>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace zoo {

/// Training that came to a loss or gradient that is not finite, or to a loss far above its start.
struct Diverged : UserError {
  using UserError::UserError;

  std::int64_t step = 0;  ///< updates that were made before the one that failed
  double loss = 0.0;
  double gradient_norm = 0.0;
  /// States of the generators before the update that came after `random_step` others; not later
  /// than the one that failed.
  nlohmann::json random;
  std::int64_t random_step = 0;

  /// Whether the loss only rose.
  bool is_finite() const { return std::isfinite(loss) && std::isfinite(gradient_norm); }
};

/// Remembers losses and gradient norms of the last updates on the device, so that each is judged
/// though the host looks at them rarely.
class StepWatch {
 public:
  /// Updates that are remembered, and so the most between two looks.
  static constexpr std::int64_t kSteps = 20;

  /// Of training that has made `step` updates; the losses that it judges by `start_loss`, that of
  /// the evaluation before the first update.
  StepWatch(torch::Device device, std::int64_t step);

  /// The update after `step` others: loss [] and gradient norm [], on the device.
  void record(std::int64_t step, const torch::Tensor& loss, const torch::Tensor& gradient_norm);

  bool is_full() const { return recorded_ - looked_at_ == kSteps; }
  /// What was recorded, [2 x kSteps] float64, on the device: bring it to the host, then look.
  const torch::Tensor& figures() const { return figures_; }
  /// The gradient norm of the last update.
  double last_gradient_norm(const double* figures) const;
  /// Throws Diverged for the first update since the last look whose loss or gradient norm is not
  /// finite; and where the mean of the losses remembered is more than twice `start_loss` and a nat
  /// above: whoever knows nothing loses less.
  void look(const double* figures, double start_loss);

 private:
  /// Where the figures of an update stand.
  static std::int64_t row(std::int64_t step) { return step % kSteps; }

  torch::Device device_;
  torch::Tensor figures_;  // losses, then norms
  std::int64_t first_;     // updates before the first that was recorded
  std::int64_t recorded_;  // updates before the next
  std::int64_t looked_at_;
  nlohmann::json random_;  // states at the last look
};

}  // namespace zoo
