#include <chrono>
#include <iostream>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/table.h"
#include "core/errors.h"
#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {
namespace {

/// Times whole training steps between two step numbers.
class Stopwatch : public TrainingObserver {
 public:
  explicit Stopwatch(std::int64_t first) : first_(first) {}

  void on_step(const Progress& progress) override {
    if (progress.step == first_) started_ = std::chrono::steady_clock::now();
  }
  void on_finish(const Progress& progress, StopReason /*reason*/) override {
    // Reading a number waits for all the work that is still under way.
    progress.window_loss.item<double>();
    const auto passed = std::chrono::steady_clock::now() - started_;
    milliseconds_ = std::chrono::duration<double, std::milli>(passed).count() /
                    static_cast<double>(progress.step - first_);
  }
  double milliseconds() const { return milliseconds_; }

 private:
  std::int64_t first_;
  std::chrono::steady_clock::time_point started_;
  double milliseconds_ = 0.0;
};

int run(const cxxopts::ParseResult& arguments) {
  auto given = config_argument(arguments);
  const auto steps = arguments["steps"].as<std::int64_t>();
  const auto warmup = arguments["warmup"].as<std::int64_t>();
  require<UserError>(steps >= 1 && warmup >= 1, "--steps and --warmup: at least 1 each");
  auto experiment = make_experiment(std::move(given.located));
  require<UserError>(dynamic_cast<const Counted*>(experiment.model.get()) == nullptr,
                     experiment.config.general.architecture, ": counts in one pass, without steps");

  const auto train = experiment.training_batches();
  Optimizer optimizer(*experiment.model, experiment.config.optimizer);
  auto schedule = experiment.config.schedule;
  schedule.decay_steps = std::max(warmup + steps, schedule.warmup_steps + 1);
  Stopwatch stopwatch(warmup);
  auto progress = Progress::start(experiment.device);
  Trainer trainer({*experiment.model,
                   *experiment.task,
                   *train,
                   [] { return Evaluation(); },
                   {&stopwatch},
                   [] { return false; }},
                  experiment.config.training);
  trainer.fit(optimizer, Schedule(schedule, experiment.config.optimizer.learning_rate),
              warmup + steps, progress);

  if (arguments.count("json") > 0) {
    std::cout << nlohmann::json{{"step_ms", stopwatch.milliseconds()}, {"steps", steps}}.dump(2)
              << "\n";
  } else {
    std::cout << fixed_digits(stopwatch.milliseconds(), 3) << " ms a step over " << steps
              << " steps, without evaluation and saving\n";
  }
  return kDone;
}

}  // namespace

Command bench_command() {
  return {"bench",
          "CONFIG",
          "Times the training step of a config",
          "zoo bench configs/names/gpt.json --steps 200",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            options.add_options()("steps", "Steps that are timed",
                                  cxxopts::value<std::int64_t>()->default_value("100"),
                                  "N")("warmup", "Steps before them",
                                       cxxopts::value<std::int64_t>()->default_value("10"), "N");
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
