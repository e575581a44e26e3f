#include "analysis/step_profile.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <vector>

#include <torch/types.h>

#include "analysis/cost.h"
#include "core/errors.h"
#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {
namespace {

constexpr auto kNever = std::numeric_limits<std::int64_t>::max();
/// Turns of steps that are watched and of those that are not.
constexpr std::int64_t kTurns = 5;
/// Batches whose FLOPs are counted, spread over the steps, and rows of each: all rows cost the
/// same.
constexpr std::int64_t kCountedBatches = 4, kCountedRows = 4;

/// Trains an experiment's model on its own batches, a few steps at a time.
class TimedTraining {
 public:
  /// @param all_steps that will be made
  TimedTraining(Experiment& experiment, BatchSource& train, std::int64_t all_steps)
      : optimizer_(*experiment.model, experiment.config.optimizer),
        batches_(train),
        progress_(Progress::start(experiment.device)),
        schedule_(schedule_of(experiment.config, all_steps)),
        trainer_({*experiment.model,
                  *experiment.task,
                  batches_,
                  [] { return Evaluation(); },
                  {},
                  [] { return false; }},
                 options_of(experiment.config)) {}

  /// Milliseconds of all of them together.
  double take(std::int64_t steps) {
    const auto start = std::chrono::steady_clock::now();
    trainer_.fit(optimizer_, schedule_, progress_.step + steps, progress_);
    // Reading a number waits for all the work that is still under way.
    progress_.window_loss.item<double>();
    const auto passed = std::chrono::steady_clock::now() - start;
    return std::chrono::duration<double, std::milli>(passed).count();
  }

 private:
  static Schedule schedule_of(const Config& config, std::int64_t all_steps) {
    auto schedule = config.schedule;
    schedule.decay_steps = std::max(all_steps, schedule.warmup_steps + 1);
    return {schedule, config.optimizer.learning_rate};
  }
  static TrainingOptions options_of(const Config& config) {
    auto options = config.training;
    options.evaluate_every = kNever;
    options.report_every = kNever;
    options.save_every.reset();
    return options;
  }

  Optimizer optimizer_;
  WatchedBatches batches_;
  Progress progress_;
  Schedule schedule_;
  Trainer trainer_;
};

void require_steps(const Experiment& experiment) {
  require<UserError>(dynamic_cast<const Counted*>(experiment.model.get()) == nullptr,
                     experiment.config.general.architecture, ": counts in one pass, without steps");
}

}  // namespace

double time_steps(Experiment& experiment, std::int64_t warmup, std::int64_t steps) {
  require_steps(experiment);
  const auto train = experiment.training_batches();
  TimedTraining training(experiment, *train, warmup + steps);
  training.take(warmup);
  return training.take(steps) / static_cast<double>(steps);
}

StepProfile profile_steps(Experiment& experiment, std::int64_t warmup, std::int64_t steps) {
  require_steps(experiment);
  const auto train = experiment.training_batches();
  TimedTraining training(experiment, *train, warmup + 2 * steps);
  training.take(warmup);
  StepProfile times;
  for (std::int64_t turn = 0; turn < kTurns; ++turn) {
    const auto count = (turn + 1) * steps / kTurns - turn * steps / kTurns;
    if (count == 0) continue;
    times.milliseconds += training.take(count) / static_cast<double>(steps);
    TimeWatch watch;
    times.watched_milliseconds += training.take(count) / static_cast<double>(steps);
    const auto some = watch.seconds();
    for (std::size_t i = 0; i < some.size(); ++i) {
      times.seconds[i] += some[i] / static_cast<double>(steps);
    }
  }
  return times;
}

double flops_of_step(Experiment& experiment, std::int64_t steps) {
  require_steps(experiment);
  const auto train = experiment.training_batches();
  const auto passes = experiment.config.training.accumulate;
  std::map<std::vector<std::int64_t>, double> by_shape;
  double sum = 0.0;
  for (std::int64_t i = 0; i < kCountedBatches; ++i) {
    auto batch = train->at((2 * i + 1) * steps * passes / (2 * kCountedBatches)).inputs;
    std::vector<std::int64_t> shape;
    for (const auto& [name, part] : batch.tensors()) {
      if (part->defined()) {
        shape.insert(shape.end(), part->sizes().begin(), part->sizes().end());
      }
    }
    const auto [counted, is_new] = by_shape.try_emplace(shape);
    if (is_new) {
      const auto rows = first_rows(batch, std::min(kCountedRows, shape.front()));
      const auto cost = measure_cost(*experiment.model, rows, experiment.config.optimizer.type);
      counted->second = static_cast<double>(cost.flops_training * shape.front());
    }
    sum += counted->second;
  }
  return sum / kCountedBatches * static_cast<double>(passes);
}

}  // namespace zoo
