#include "training/step_watch.h"

#include <algorithm>
#include <cmath>

#include "core/format.h"
#include "training/random_state.h"

namespace zoo {
namespace {

/// Losses that are averaged before a rise is called one.
constexpr std::int64_t kFewest = 5;

/// No number is one whatever its sign.
std::string figure(double value) {
  return std::isnan(value) ? "nan" : significant_digits(value, 4);
}

}  // namespace

StepWatch::StepWatch(torch::Device device, std::int64_t step)
    : device_(device),
      figures_(
          torch::zeros({2 * kSteps}, torch::TensorOptions().dtype(torch::kFloat64).device(device))),
      first_(step),
      recorded_(step),
      looked_at_(step),
      random_(random_state(device)) {}

void StepWatch::record(std::int64_t step, const torch::Tensor& loss,
                       const torch::Tensor& gradient_norm) {
  figures_[row(step)].copy_(loss);
  figures_[kSteps + row(step)].copy_(gradient_norm);
  recorded_ = step + 1;
}

double StepWatch::last_gradient_norm(const double* figures) const {
  return figures[kSteps + row(recorded_ - 1)];
}

void StepWatch::look(const double* figures, double start_loss) {
  const auto loss_of = [&](std::int64_t step) { return figures[row(step)]; };
  const auto norm_of = [&](std::int64_t step) { return figures[kSteps + row(step)]; };
  const auto diverged = [&](std::int64_t step, const std::string& than) {
    Diverged error(text_of("training diverged at step ", step + 1, ": loss ", figure(loss_of(step)),
                           than, ", gradient norm ", figure(norm_of(step))));
    error.step = step;
    error.loss = loss_of(step);
    error.gradient_norm = norm_of(step);
    error.random = random_;
    error.random_step = looked_at_;
    return error;
  };
  for (auto step = looked_at_; step < recorded_; ++step) {
    const bool finite = std::isfinite(loss_of(step)) && std::isfinite(norm_of(step));
    if (!finite) throw diverged(step, "");
  }
  const auto most = 2.0 * start_loss + 1.0;
  const auto begin = std::max(first_, recorded_ - kSteps);
  double sum = 0.0;
  for (auto step = begin; step < recorded_; ++step) sum += loss_of(step);
  const auto count = recorded_ - begin;
  if (count >= kFewest && sum > most * static_cast<double>(count)) {
    auto step = begin;
    while (loss_of(step) <= most) ++step;
    throw diverged(step, text_of(" after ", significant_digits(start_loss, 4), " at the start"));
  }
  looked_at_ = recorded_;
  random_ = random_state(device_);
}

}  // namespace zoo
