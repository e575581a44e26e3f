// What is foretold of a run's memory, beside what the run allocates.
#include <algorithm>
#include <string>
#include <vector>

#include "analysis/cost.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_allocations.h"
#include "tests/support/torch_training.h"

namespace zoo {
namespace {

constexpr std::int64_t kSteps = 6;

/// Settings that make a tiny model large enough for its memory to be that of tensors, whichever
/// architecture it is of.
std::vector<std::string> enlarged(const Architecture& architecture, double dropout) {
  std::vector<std::string> settings = {"training.batch_size=32"};
  for (const auto& option : architecture.describe()) {
    const auto set = [&](const char* name, const auto& value) {
      if (option.name == name) settings.push_back(text_of("model.", name, "=", value));
    };
    set("d_model", 64);
    set("d_hidden", 128);
    set("width", 16);
    set("dropout", dropout);
  }
  return settings;
}

/// Tokens or pixels of a batch.
std::int64_t size_of(const Inputs& inputs) {
  std::int64_t size = 0;
  for (const auto* part : {&inputs.tokens, &inputs.source, &inputs.images}) {
    if (part->defined()) size += part->numel();
  }
  return size;
}

/// The largest batch of the run.
Batch largest_batch(BatchSource& train) {
  auto largest = train.at(0);
  for (std::int64_t number = 1; number < kSteps; ++number) {
    auto batch = train.at(number);
    if (size_of(batch.inputs) > size_of(largest.inputs)) largest = std::move(batch);
  }
  return largest;
}

/// Most bytes that making a model and its optimizer and training it hold at a time.
std::int64_t bytes_of_training(const Experiment& experiment, BatchSource& train) {
  const AllocationWatch watch;
  const auto& config = experiment.config;
  const auto model = experiment.architecture.build(config.model, experiment.facts);
  Optimizer optimizer(*model, config.optimizer);
  auto progress = Progress::start(experiment.device);
  Trainer trainer(
      {*model, *experiment.task, train, [] { return Evaluation(); }, {}, [] { return false; }},
      config.training);
  auto schedule = config.schedule;
  schedule.decay_steps = kSteps;
  trainer.fit(optimizer, Schedule(schedule, config.optimizer.learning_rate), kSteps, progress);
  return watch.peak_bytes();
}

void check_memory(const Architecture& architecture, const std::string& task,
                  const std::vector<std::string>& settings) {
  const TemporaryFolder folder;
  const auto experiment =
      make_tiny_experiment(tiny_config(folder / "data", architecture, settings, task));
  if (dynamic_cast<const Counted*>(experiment.model.get()) != nullptr) return;
  const auto train = experiment.training_batches();
  const auto cost = measure_cost(*experiment.model, largest_batch(*train).inputs,
                                 experiment.config.optimizer.type);
  const auto observed = static_cast<double>(bytes_of_training(experiment, *train));
  const auto foretold = static_cast<double>(cost.memory_bytes);
  INFO(architecture.name << ", " << task << ", " << settings.back());
  CHECK(foretold < 1.15 * observed);
  CHECK(foretold > 0.85 * observed);
}

TEST_CASE("the memory of training is foretold within 15 % of what a run allocates") {
  const auto* const optimizer = GENERATE("adamw", "sgd");
  const auto dropout = GENERATE(0.0, 0.2);
  for (const auto& architecture : architectures()) {
    for (const auto& task : architecture.tasks) {
      auto settings = enlarged(architecture, dropout);
      settings.push_back(std::string("optimizer.type=") + optimizer);
      check_memory(architecture, task, settings);
    }
  }
}

TEST_CASE("the memory of several passes a step is that of the largest") {
  check_memory(find_architecture("gpt"), "language_model",
               {"model.d_model=64", "training.batch_size=32", "training.accumulate=4"});
}

TEST_CASE("what kernels keep in the place of operators is foretold as well") {
  // The attention of long rows: a kernel keeps its weights, the operator that is watched does not.
  check_memory(find_architecture("gpt"), "sequence_to_sequence",
               {"data.path=null", "data.synthetic=copy", "data.examples=200", "data.min_length=40",
                "data.max_length=40", "model.block_size=100", "model.d_model=64", "model.n_heads=8",
                "model.dropout=0", "training.batch_size=32"});
}

TEST_CASE("a model that is much larger than its batch needs its parameters twice at the start") {
  const TemporaryFolder folder;
  const auto experiment = make_tiny_experiment(tiny_config(
      folder / "data", find_architecture("mlp"), {"model.d_hidden=1024", "training.batch_size=1"}));
  const auto train = experiment.training_batches();
  const auto cost = measure_cost(*experiment.model, train->at(0).inputs, OptimizerType::kAdamW);
  CHECK(cost.memory_bytes == cost.lasting_bytes() + cost.parameter_bytes);
  CHECK(static_cast<double>(cost.memory_bytes) ==
        Approx(bytes_of_training(experiment, *train)).epsilon(0.01));
}

}  // namespace
}  // namespace zoo
