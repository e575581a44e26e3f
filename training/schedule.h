#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/options.h"

namespace zoo {

enum class ScheduleType { kConstant, kLinear, kCosine, kInverseSquareRoot, kWarmupStableDecay };
inline EnumNames<ScheduleType> names_of(ScheduleType) {
  return {{"constant", ScheduleType::kConstant},
          {"linear", ScheduleType::kLinear},
          {"cosine", ScheduleType::kCosine},
          {"inverse_square_root", ScheduleType::kInverseSquareRoot},
          {"warmup_stable_decay", ScheduleType::kWarmupStableDecay}};
}

struct ScheduleOptions {
  ScheduleType type = ScheduleType::kCosine;
  std::int64_t warmup_steps = 0;
  std::optional<std::int64_t> decay_steps;
  double final_ratio = 0.1;
  double decay_share = 0.2;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("type", self.type, "How the learning rate goes on after the warm-up.");
    visit("warmup_steps", self.warmup_steps,
          "Steps over which the learning rate rises from 0 to its full value.", at_least(0));
    visit("decay_steps", self.decay_steps,
          "The step at which the end value is reached. Unset: the run's last step at its first "
          "start; extending a run then goes on at the end value.",
          at_least(1));
    visit("final_ratio", self.final_ratio, "The end value, as a share of the full learning rate.",
          at_least(0).up_to(1));
    visit("decay_share", self.decay_share,
          "Share of decay_steps in which warmup_stable_decay falls, at the end.",
          above(0).up_to(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// The learning rate of a step: a pure function of its number.
class Schedule {
 public:
  /// `options.decay_steps` must be set unless the type needs none.
  Schedule(const ScheduleOptions& options, double learning_rate);

  /// `step` counts from 0, the first update.
  double operator()(std::int64_t step) const;

 private:
  /// The share of the full rate after the warm-up.
  double decayed(double step) const;

  ScheduleOptions options_;
  double learning_rate_;
};

}  // namespace zoo
