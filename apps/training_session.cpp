#include "apps/training_session.h"

#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "analysis/first_not_finite.h"
#include "apps/command.h"
#include "apps/table.h"
#include "apps/terminal.h"
#include "apps/training_summary.h"
#include "apps/wrapped_text.h"
#include "core/errors.h"
#include "core/format.h"
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
  auto text = text_of(experiment.config.general.architecture, " on ", experiment.device.str(), ", ",
                      tokens ? "tokens" : experiment.unit(), ": ", amounts(experiment));
  if (facts.vocab_size > 0) text += "; vocabulary " + with_commas(facts.vocab_size);
  if (facts.source_vocab_size > 0) text += ", of sources " + with_commas(facts.source_vocab_size);
  if (facts.channels > 0) {
    text += text_of("; ", facts.height, " x ", facts.width, " pixels, ",
                    facts.channels == 1 ? "grey" : "colour");
  }
  if (facts.classes > 0) text += text_of("; ", facts.classes, " classes");
  const auto width = style_of_stderr().width;
  const auto start = run.string() + ": ";
  std::cerr << (width ? in_lines(words_of(text), width(), {start, "  "}) : start + text) << "\n";
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
  for (const auto& one : from.skipped) std::cerr << "warning: passed over " << one.reason << "\n";
  if (!from.skipped.empty()) {
    std::cerr << "warning: the newest whole checkpoint is that of step " << from.step
              << "; the run goes on from there\n";
  }
}

/// Everything that watches a session, told in this order: what is written down comes before what
/// may stop the training.
class SessionObservers {
 public:
  SessionObservers(const std::filesystem::path& run, const Experiment& experiment,
                   const Optimizer* optimizer, const Progress& progress, std::int64_t max_steps,
                   bool quiet)
      : quiet_(quiet),
        metrics_(run / kMetricsFile, progress),
        console_(
            terminal_stderr(), style_of_stderr(),
            {max_steps, experiment.config.training.evaluate_every, progress.step, progress.seconds},
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
    std::vector<TrainingObserver*> observers = {&metrics_, &throughput_};
    if (!quiet_) observers.push_back(&console_);
    observers.insert(observers.end(), {&samples_, &checkpoints_, &early_stopping_});
    return observers;
  }
  const Throughput& throughput() const { return throughput_; }
  CheckpointObserver& checkpoints() { return checkpoints_; }

 private:
  bool quiet_;
  MetricsFile metrics_;
  Console console_;
  SampleObserver samples_;
  CheckpointObserver checkpoints_;
  EarlyStopping early_stopping_;
  Throughput throughput_;
};

/// What there is to say about training that failed: where it began, and what would do.
UserError explained(const Diverged& diverged, Experiment& experiment, BatchSource& train,
                    double learning_rate, const std::filesystem::path& run) {
  const auto& config = experiment.config;
  auto text = text_of(diverged.what(), ", learning rate ", significant_digits(learning_rate, 4));
  if (!diverged.is_finite()) {
    const auto where = first_not_finite(experiment, train, diverged);
    text += "; first not finite: " + (where.empty() ? "not seen again" : where);
  }
  text += "; lower optimizer.learning_rate";
  if (config.training.grad_clip == 0.0) text += ", set training.grad_clip";
  if (config.schedule.warmup_steps == 0) text += ", set schedule.warmup_steps";
  std::error_code none;
  const auto last = std::filesystem::read_symlink(run / "checkpoints" / "last", none);
  if (!none) {
    text += text_of("; ", run.string(), " keeps ", last.string(),
                    ", from which training.initialize_from starts a new run");
  }
  return UserError(text);
}

}  // namespace

void add_session_options(cxxopts::Options& options) {
  options.add_options()("quiet", "No progress while training")(
      "stop-after", "Stop after so many updates of this call, as Ctrl-C would",
      cxxopts::value<std::int64_t>(), "STEPS");
  add_json_option(options);
}

SessionOptions session_options(const cxxopts::ParseResult& arguments) {
  SessionOptions options;
  options.quiet = arguments.count("quiet") > 0;
  options.json = arguments.count("json") > 0;
  if (arguments.count("stop-after") > 0) {
    options.stop_after = arguments["stop-after"].as<std::int64_t>();
    require<UserError>(*options.stop_after >= 1, "--stop-after: got ", *options.stop_after,
                       "; must be at least 1");
  }
  return options;
}

int run_training_session(const std::filesystem::path& run, Experiment& experiment,
                         const std::optional<Checkpoint>& from, const SessionOptions& options) {
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
  SessionObservers observers(run, experiment, optimizer.get(), progress, max_steps, options.quiet);
  if (from) observers.checkpoints().go_on_from(*from, progress);
  const auto evaluate_now = [&] {
    return evaluate(model, *experiment.task, *judged, experiment.judging_split());
  };
  const auto stop = [&, last = progress.step + options.stop_after.value_or(max_steps)] {
    return stop_requested() || progress.step >= last;
  };
  Trainer trainer({model, *experiment.task, *train, evaluate_now, observers.in_order(), stop},
                  config.training);

  if (!options.quiet) announce(run, experiment);
  listen_for_stop();
  std::optional<Schedule> schedule;
  if (counted == nullptr) schedule.emplace(config.schedule, config.optimizer.learning_rate);
  // A kill may have come between the last save and the summary.
  const bool over = from && (counted != nullptr ||
                             EarlyStopping::has_stopped(progress, config.training.patience));
  auto reason = StopReason::kFinished;
  try {
    if (!over) {
      reason = counted != nullptr ? trainer.count(*counted, progress)
                                  : trainer.fit(*optimizer, *schedule, max_steps, progress);
    }
  } catch (const Diverged& diverged) {
    throw explained(diverged, experiment, *train, (*schedule)(diverged.step), run);
  }
  if (reason == StopReason::kInterrupted) {
    std::cerr << "stopped at step " << progress.step << ", saved; go on with\n  " << program_name()
              << " resume " << run.string() << "\n";
    return stop_requested() ? kInterruptedExit : kDone;
  }
  print_training_summary(run, experiment, progress, observers.throughput(), options.json);
  return kDone;
}

}  // namespace zoo
