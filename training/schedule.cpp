#include "training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/errors.h"

namespace zoo {

Schedule::Schedule(const ScheduleOptions& options, double learning_rate)
    : options_(options), learning_rate_(learning_rate) {
  const bool endless =
      options.type == ScheduleType::kConstant || options.type == ScheduleType::kInverseSquareRoot;
  require<std::logic_error>(endless || options.decay_steps, "a schedule needs decay_steps");
}

double Schedule::operator()(std::int64_t step) const {
  if (step < options_.warmup_steps) {
    return learning_rate_ * static_cast<double>(step + 1) /
           static_cast<double>(options_.warmup_steps);
  }
  return learning_rate_ * decayed(static_cast<double>(step));
}

double Schedule::decayed(double step) const {
  const auto warmup = static_cast<double>(options_.warmup_steps);
  const auto end = static_cast<double>(options_.decay_steps.value_or(1));
  const auto falling = [&](double from) {
    return std::clamp((step - from) / std::max(end - from, 1.0), 0.0, 1.0);
  };
  const auto between = [&](double share) {
    return options_.final_ratio + (1.0 - options_.final_ratio) * share;
  };
  switch (options_.type) {
    case ScheduleType::kConstant:
      return 1.0;
    case ScheduleType::kLinear:
      return between(1.0 - falling(warmup));
    case ScheduleType::kCosine:
      return between(0.5 * (1.0 + std::cos(std::numbers::pi * falling(warmup))));
    case ScheduleType::kInverseSquareRoot:
      return std::sqrt(std::max(warmup, 1.0) / std::max(step + 1.0, 1.0));
    case ScheduleType::kWarmupStableDecay:
      return between(1.0 - falling(std::max(warmup, end * (1.0 - options_.decay_share))));
  }
  return 1.0;
}

}  // namespace zoo
