#pragma once

#include <cstdint>

#include "training/trainer.h"

namespace zoo {

/// Stops after `patience` evaluations without a better loss; 0 never stops.
class EarlyStopping : public TrainingObserver {
 public:
  explicit EarlyStopping(std::int64_t patience) : patience_(patience) {}
  /// Whether a run that stands there has been stopped so.
  static bool has_stopped(const Progress& progress, std::int64_t patience);
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;

 private:
  std::int64_t patience_;
};

/// Training speed over the whole session, evaluations excluded.
class Throughput : public TrainingObserver {
 public:
  /// Of a session that starts after so many steps.
  explicit Throughput(std::int64_t steps) : steps_before_(steps), steps_(steps) {}
  void on_report(const Progress& progress, const Report& report) override;
  /// 0 before the first report, as below.
  double tokens_per_second() const { return seconds_ > 0.0 ? tokens_ / seconds_ : 0.0; }
  double milliseconds_per_step() const {
    const auto steps = static_cast<double>(steps_ - steps_before_);
    return steps > 0.0 ? 1e3 * seconds_ / steps : 0.0;
  }

 private:
  std::int64_t steps_before_;
  std::int64_t steps_;  // at the last report
  double tokens_ = 0.0;
  double seconds_ = 0.0;
};

}  // namespace zoo
