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

/// "train 2,000, val 200", in tokens of running text, else in examples.
std::string amounts(const Experiment& experiment) {
  std::string text;
  const auto add = [&](const auto& split, std::int64_t amount) {
    if (!split.empty()) text += (text.empty() ? "" : ", ") + split.name + " " + with_commas(amount);
  };
  if (experiment.reads_images()) {
    const auto& data = experiment.images;
    for (const auto* split : {&data.train, &data.val, &data.test}) add(*split, split->size());
    return text;
  }
  const auto& data = experiment.text;
  const bool tokens = data.format == TextFormat::kText;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    add(*split, tokens ? split->tokens.size() : split->size());
  }
  return text;
}

/// One line about what is about to happen.
void announce(const std::filesystem::path& run, const Experiment& experiment) {
  const auto& facts = experiment.facts;
  const bool tokens = !experiment.reads_images() && experiment.text.format == TextFormat::kText;
  std::cerr << run.string() << ": " << experiment.config.general.architecture << " on "
            << experiment.device.str() << ", " << (tokens ? "tokens" : experiment.unit()) << ": "
            << amounts(experiment);
  if (facts.vocab_size > 0) std::cerr << "; vocabulary " << with_commas(facts.vocab_size);
  if (facts.source_vocab_size > 0) {
    std::cerr << ", of sources " << with_commas(facts.source_vocab_size);
  }
  if (facts.channels > 0) {
    std::cerr << "; " << facts.height << " x " << facts.width << " pixels, "
              << (facts.channels == 1 ? "grey" : "colour");
  }
  if (facts.classes > 0) std::cerr << "; " << facts.classes << " classes";
  std::cerr << "\n";
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

/// Everything that watches a session, told in this order: what is written down comes before what
/// may stop the training.
class SessionObservers {
 public:
  SessionObservers(const std::filesystem::path& run, const Experiment& experiment,
                   const Optimizer* optimizer, const Progress& progress, std::int64_t max_steps,
                   bool quiet)
      : quiet_(quiet),
        metrics_(run / "metrics.jsonl", progress),
        console_(std::cerr, style_of_stderr(), max_steps,
                 predicted_unit(experiment.config.general.task)),
        samples_(experiment,
                 [this](const Progress& at, const std::vector<std::string>& texts) {
                   metrics_.write_samples(at, texts);
                   if (!quiet_) console_.show_samples(texts);
                 }),
        checkpoints_(run, {*experiment.model, optimizer, experiment.vocabulary, experiment.device},
                     experiment.config.identity(), experiment.config.training),
        early_stopping_(experiment.config.training.patience),
        throughput_(progress.step) {}

  std::vector<TrainingObserver*> in_order() {
    std::vector<TrainingObserver*> observers = {&metrics_, &divergence_, &throughput_};
    if (!quiet_) observers.push_back(&console_);
    observers.insert(observers.end(), {&samples_, &checkpoints_, &early_stopping_});
    return observers;
  }
  const Throughput& throughput() const { return throughput_; }

 private:
  bool quiet_;
  MetricsFile metrics_;
  Console console_;
  SampleObserver samples_;
  CheckpointObserver checkpoints_;
  EarlyStopping early_stopping_;
  DivergenceWatch divergence_;
  Throughput throughput_;
};

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
  SessionObservers observers(run, experiment, optimizer.get(), progress, max_steps, output.quiet);
  const auto evaluate_now = [&] {
    return evaluate(model, *experiment.task, *judged, experiment.judging_split());
  };
  Trainer trainer(
      {model, *experiment.task, *train, evaluate_now, observers.in_order(), stop_requested},
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
  print_training_summary(run, experiment, progress, observers.throughput(), output.json);
  return kDone;
}

}  // namespace zoo
