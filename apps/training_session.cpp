#include "apps/training_session.h"

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/table.h"
#include "apps/terminal.h"
#include "apps/training_summary.h"
#include "core/errors.h"
#include "core/files.h"
#include "inference/sample_observer.h"
#include "training/checkpoint_observer.h"
#include "training/console.h"
#include "training/metrics_file.h"
#include "training/run_folder.h"
#include "training/trainer.h"
#include "training/watches.h"

namespace zoo {
namespace {

/// One line about what is about to happen.
void announce(const std::filesystem::path& run, const Experiment& experiment) {
  const auto& data = experiment.data;
  const bool lines = data.format == TextFormat::kLines;
  const auto amount = [&](const TextSplit& split) {
    return with_commas(lines ? split.size() : static_cast<std::int64_t>(split.tokens.size()));
  };
  std::cerr << run.string() << ": " << experiment.config.general.architecture << " on "
            << experiment.device.str() << ", " << (lines ? "lines" : "tokens") << ": train "
            << amount(data.train);
  for (const auto* split : {&data.val, &data.test}) {
    if (!split->empty()) std::cerr << ", " << split->name << " " << amount(*split);
  }
  std::cerr << "; vocabulary " << with_commas(experiment.facts.vocab_size) << "\n";
}

/// Says what makes a resumed run differ from one that was never stopped.
void warn_of_differences(const Checkpoint& from, torch::Device device) {
  const auto state = nlohmann::json::parse(from.file("state.json"));
  const auto now = environment_of(device);
  const auto then = state.value("made_with", nlohmann::json::object());
  for (const auto& [key, value] : now.items()) {
    if (then.contains(key) && then.at(key) != value) {
      std::cerr << "warning: " << key << " was " << then.at(key).dump() << " and is "
                << value.dump() << " now; the run goes on, but not bit for bit\n";
    }
  }
  for (const auto& reason : from.skipped) std::cerr << "warning: passed over " << reason << "\n";
}

}  // namespace

int run_training_session(const std::filesystem::path& run, Experiment& experiment,
                         const std::optional<Checkpoint>& from, const SessionOutput& output) {
  const FolderLock lock(run);
  const auto& config = experiment.config;
  auto& model = *experiment.model;
  auto* counted = dynamic_cast<Counted*>(&model);
  const auto train = experiment.training_batches();
  const auto judged = experiment.all_batches(experiment.judging_split());
  const auto max_steps = counted != nullptr ? 1 : config.training.total_steps(train->size());

  std::unique_ptr<Optimizer> optimizer;
  if (counted == nullptr) optimizer = std::make_unique<Optimizer>(model, config.optimizer);
  auto progress = Progress::start(experiment.device);
  if (from) {
    progress = restore_checkpoint(*from, model, optimizer.get(), experiment.device);
    warn_of_differences(*from, experiment.device);
  }

  Console console(std::cerr, style_of_stderr(), max_steps);
  MetricsFile metrics(run / "metrics.jsonl", progress);
  CheckpointObserver checkpoints(
      run,
      {model, optimizer.get(), experiment.data.tokenizer->to_json().dump(2) + "\n",
       experiment.device},
      config.identity(), config.training);
  EarlyStopping early_stopping(config.training.patience);
  DivergenceWatch divergence;
  Throughput throughput;
  SampleObserver samples(model, *experiment.data.tokenizer, config,
                         [&](const Progress& at, const std::vector<std::string>& texts) {
                           metrics.write_samples(at, texts);
                           if (!output.quiet) console.show_samples(texts);
                         });

  std::vector<TrainingObserver*> observers = {&metrics, &divergence, &throughput};
  if (!output.quiet) observers.push_back(&console);
  for (TrainingObserver* observer :
       {static_cast<TrainingObserver*>(&samples), static_cast<TrainingObserver*>(&checkpoints),
        static_cast<TrainingObserver*>(&early_stopping)}) {
    observers.push_back(observer);
  }
  const auto evaluate_now = [&] {
    return evaluate(model, *experiment.task, *judged, experiment.judging_split());
  };
  Trainer trainer({model, *experiment.task, *train, evaluate_now, observers, stop_requested},
                  config.training);

  if (!output.quiet) announce(run, experiment);
  listen_for_stop();
  const auto reason =
      counted != nullptr
          ? trainer.count(*counted, progress)
          : trainer.fit(*optimizer, Schedule(config.schedule, config.optimizer.learning_rate),
                        max_steps, progress);
  if (reason == StopReason::kInterrupted) {
    std::cerr << "stopped at step " << progress.step << ", saved; go on with\n  " << program_name()
              << " resume " << run.string() << "\n";
    return kInterruptedExit;
  }
  print_training_summary(run, experiment, progress, throughput.tokens_per_second(), output.json);
  return kDone;
}

}  // namespace zoo
