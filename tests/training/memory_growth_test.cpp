// What a long run adds to a process once it has its buffers.
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_threads.h"
#include "tests/support/torch_training.h"
#include "training/checkpoint_observer.h"
#include "training/metrics_file.h"

namespace zoo {
namespace {

constexpr std::int64_t kWarm = 500, kSteps = 1000, kMostGrowth = 1 << 20;

/// Bytes of this process that lie in memory, counted page by page: the running count of
/// /proc/self/statm may be off by hundreds of KiB.
std::int64_t resident_bytes() {
  std::ifstream lines("/proc/self/smaps_rollup");
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Rss:")) return std::stoll(line.substr(4)) * 1024;
  }
  FAIL("no Rss in /proc/self/smaps_rollup");
  return 0;
}

/// Remembers what the process held after some steps.
class MemoryAtSteps : public TrainingObserver {
 public:
  void on_step(const Progress& progress) override {
    if (progress.step == kWarm || progress.step == kWarm + kSteps) {
      bytes_[progress.step] = resident_bytes();
    }
  }
  std::int64_t growth() const { return bytes_.at(kWarm + kSteps) - bytes_.at(kWarm); }

 private:
  std::map<std::int64_t, std::int64_t> bytes_;
};

/// Bytes that `kSteps` steps add after `kWarm` ones: batches, updates, reports, evaluations and
/// checkpoints as in `zoo train`.
std::int64_t growth_of(const std::string& architecture, const std::vector<std::string>& settings) {
  const TemporaryFolder folder;
  const Threads one(1);
  auto all = settings;
  all.insert(all.end(), {"training.evaluate_every=100", "training.keep_checkpoints=2"});
  auto experiment =
      make_tiny_experiment(tiny_config(folder / "data", find_architecture(architecture), all));
  const auto run = folder / "run";
  make_folders(run);
  auto& model = *experiment.model;
  const auto& config = experiment.config;
  Optimizer optimizer(model, config.optimizer);
  auto progress = Progress::start(experiment.device);
  const auto train = experiment.training_batches();
  const auto val = experiment.all_batches("val");
  MetricsFile metrics(run / "metrics.jsonl", progress);
  CheckpointObserver checkpoints(run, {model, &optimizer, experiment.vocabulary, experiment.device},
                                 config.identity(), config.training);
  MemoryAtSteps memory;
  Trainer trainer({model,
                   *experiment.task,
                   *train,
                   [&] { return evaluate(model, *experiment.task, *val, "val"); },
                   {&metrics, &checkpoints, &memory},
                   [] { return false; }},
                  config.training);
  auto schedule = config.schedule;
  schedule.decay_steps = kWarm + kSteps;
  trainer.fit(optimizer, Schedule(schedule, config.optimizer.learning_rate), kWarm + kSteps,
              progress);
  return memory.growth();
}

TEST_CASE("a thousand steps with their reports and checkpoints add no more than 1 MiB") {
  if (kSanitized) return;  // what was freed is kept for a while
  CHECK(growth_of("gpt", {"model.n_layers=1"}) <= kMostGrowth);
  CHECK(growth_of("rnn", {"model.cell=lstm", "model.n_layers=1"}) <= kMostGrowth);
}

}  // namespace
}  // namespace zoo
