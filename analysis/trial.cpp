#include "analysis/trial.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <torch/types.h>
#include <torch/utils.h>

#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {
namespace {

using Clock = std::chrono::steady_clock;

/// Steps before the clock starts, or fewer that take such a share of the trial.
constexpr std::int64_t kWarmUpSteps = 5;
constexpr double kWarmUpShare = 0.25;
/// Time for the evaluation, as a share of the trial.
constexpr double kEvaluationShare = 0.35;
constexpr auto kNever = std::numeric_limits<std::int64_t>::max();

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Times steps once the first are over, and says when it has seen enough.
class StepClock : public TrainingObserver {
 public:
  explicit StepClock(double enough) : enough_(enough) {}

  void on_step(const Progress& progress) override {
    if (first_ > 0) return;
    if (progress.step < kWarmUpSteps && seconds_since(start_) < kWarmUpShare * enough_) return;
    first_ = progress.step;
    start_ = Clock::now();
  }
  void on_finish(const Progress& progress, StopReason /*reason*/) override {
    // Reading a number waits for all the work that is still under way.
    finite_ = std::isfinite(progress.window_loss.item<double>());
    seconds_ = seconds_since(start_);
    steps_ = progress.step - first_;
  }
  bool has_enough(std::int64_t step) const {
    return first_ > 0 && step > first_ && seconds_since(start_) >= enough_;
  }
  void tell(Trial& trial) const {
    trial.steps = steps_;
    trial.step_milliseconds = 1e3 * seconds_ / static_cast<double>(steps_);
    trial.finite = finite_;
  }

 private:
  double enough_;  // seconds
  Clock::time_point start_ = Clock::now();
  std::int64_t first_ = 0;
  std::int64_t steps_ = 0;
  double seconds_ = 0.0;
  bool finite_ = true;
};

/// Some batches of a source, spread over it: their lengths may grow from one to the next.
class SpreadBatches : public BatchSource {
 public:
  SpreadBatches(BatchSource& all, std::int64_t count) : all_(all), count_(count) {}
  std::int64_t size() const override { return count_; }
  Batch at(std::int64_t number) override {
    return all_.at((2 * number + 1) * all_.size() / (2 * count_));
  }

 private:
  BatchSource& all_;
  std::int64_t count_;
};

double evaluation_seconds(const Experiment& experiment, double enough) {
  const auto split = experiment.judging_split();
  const auto all = experiment.all_batches(split);
  const auto seconds_of = [&](std::int64_t count) {
    SpreadBatches some(*all, count);
    const auto start = Clock::now();
    evaluate(*experiment.model, *experiment.task, some, split);
    return seconds_since(start);
  };
  const auto one = seconds_of(1);
  const auto count = std::clamp<std::int64_t>(std::llround(enough / one), 1, all->size());
  return seconds_of(count) * static_cast<double>(all->size()) / static_cast<double>(count);
}

}  // namespace

Trial try_out(Experiment& experiment, double seconds) {
  const auto train = experiment.training_batches();
  auto options = experiment.config.training;
  auto schedule = experiment.config.schedule;
  schedule.decay_steps = std::max(options.total_steps(train->size()), schedule.warmup_steps + 1);
  options.evaluate_every = kNever;
  options.report_every = kNever;

  Optimizer optimizer(*experiment.model, experiment.config.optimizer);
  auto progress = Progress::start(experiment.device);
  StepClock clock(seconds);
  Trainer trainer({*experiment.model,
                   *experiment.task,
                   *train,
                   [] { return Evaluation(); },
                   {&clock},
                   [&] { return clock.has_enough(progress.step); }},
                  options);
  Trial trial;
  try {
    trainer.fit(optimizer, Schedule(schedule, experiment.config.optimizer.learning_rate), kNever,
                progress);
    clock.tell(trial);
  } catch (const Diverged&) {
    clock.tell(trial);
    trial.finite = false;
  }
  trial.evaluation_seconds = evaluation_seconds(experiment, kEvaluationShare * seconds);
  return trial;
}

}  // namespace zoo
