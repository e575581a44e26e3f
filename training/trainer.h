#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "models/model.h"
#include "training/batch.h"
#include "training/evaluation.h"
#include "training/optimizer.h"
#include "training/progress.h"
#include "training/schedule.h"
#include "training/step_watch.h"
#include "training/task.h"

namespace zoo {

struct TrainingOptions {
  std::optional<std::int64_t> max_steps;
  std::optional<std::int64_t> epochs;
  std::int64_t batch_size = 32;
  std::int64_t accumulate = 1;
  double grad_clip = 1.0;
  double label_smoothing = 0.0;
  std::int64_t length_pool = 16;
  std::int64_t evaluate_every = 500;
  std::int64_t report_every = 10;
  std::int64_t patience = 0;
  std::optional<std::int64_t> save_every;
  std::int64_t keep_checkpoints = 2;
  std::int64_t samples = 5;
  std::int64_t sample_length = 200;
  std::string initialize_from;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("max_steps", self.max_steps, "Updates to make. Either this or epochs.", at_least(1));
    visit("epochs", self.epochs, "Passes over the training split. Either this or max_steps.",
          at_least(1));
    visit("batch_size", self.batch_size, "Rows of one forward pass.", at_least(1));
    visit("accumulate", self.accumulate, "Forward passes whose gradients make one update.",
          at_least(1));
    visit("grad_clip", self.grad_clip, "Largest norm of all gradients together; 0: no limit.",
          at_least(0));
    visit("label_smoothing", self.label_smoothing,
          "Share of each target that is spread over all tokens, in training only.",
          at_least(0).below(1));
    visit("length_pool", self.length_pool,
          "Updates whose rows are drawn together and sorted by length, so that a batch of lines or "
          "pairs has little padding; 1: rows as they come.",
          at_least(1));
    visit("evaluate_every", self.evaluate_every,
          "Updates between evaluations of the whole validation split; there is always one before "
          "the first update and one at the end.",
          at_least(1));
    visit("report_every", self.report_every,
          "Updates between looks at the training loss, for the bar and metrics.jsonl.",
          at_least(1));
    visit("patience", self.patience,
          "Evaluations without a better validation loss after which training stops; 0: never.",
          at_least(0));
    visit("save_every", self.save_every,
          "Updates between checkpoints. Unset: one at every evaluation.", at_least(1));
    visit("keep_checkpoints", self.keep_checkpoints,
          "Newest checkpoints that are kept, beside the best.", at_least(1));
    visit("samples", self.samples, "Texts that are generated at every evaluation.", at_least(0));
    visit("sample_length", self.sample_length, "Most tokens of such a text.", at_least(1));
    visit(
        "initialize_from", self.initialize_from,
        "A run whose best weights this one starts from, where both have them, and whose tokenizer "
        "it takes over.");
  }

  /// Throws ConfigError when max_steps and epochs are both set.
  void validate(const std::string& path) const;

  /// Updates in all, given the batches of one epoch. Throws ConfigError when neither is set.
  std::int64_t total_steps(std::int64_t batches_per_epoch) const;
};

/// What happened since the last report.
struct Report {
  double loss = 0.0;           ///< nats per predicted token
  double gradient_norm = 0.0;  ///< of the last step, before clipping
  double learning_rate = 0.0;  ///< of the last step
  double tokens = 0.0;         ///< predicted tokens
  double seconds = 0.0;        ///< in updates, evaluations excluded

  double tokens_per_second() const { return seconds > 0.0 ? tokens / seconds : 0.0; }
};

enum class StopReason { kFinished, kStoppedEarly, kInterrupted };

/// Bar, metrics file, checkpoints, early stopping, samples: observers, not trainer code.
class TrainingObserver {
 public:
  virtual ~TrainingObserver() = default;
  virtual void on_step(const Progress&) {}
  virtual void on_report(const Progress&, const Report&) {}
  /// Returns whether to go on.
  virtual bool on_evaluation(const Progress&, const Evaluation&) { return true; }
  virtual void on_finish(const Progress&, StopReason) {}
};

/// What a trainer works with; nothing of it is owned.
struct TrainerParts {
  Model& model;
  const Task& task;
  BatchSource& train;
  std::function<Evaluation()> evaluate;
  std::vector<TrainingObserver*> observers;
  std::function<bool()> stop_requested;
};

/// The optimisation loop. Knows no architecture, no data set, no file and no flag.
class Trainer {
 public:
  Trainer(TrainerParts parts, const TrainingOptions& options)
      : parts_(std::move(parts)), options_(options) {}

  /// Goes on from `progress` until `max_steps` updates are done, an observer stops it, or a stop is
  /// requested. Throws Diverged within 20 updates of a loss or gradient that is not finite, which
  /// leaves the parameters as they were before it, and of a loss far above its start.
  StopReason fit(Optimizer& optimizer, const Schedule& schedule, std::int64_t max_steps,
                 Progress& progress);

  /// Fits a model that counts: one pass over the training batches.
  StopReason count(Counted& model, Progress& progress);

 private:
  void take_step(Optimizer& optimizer, double learning_rate, StepWatch& watch, Progress& progress);
  /// Reads what happened on the device, reports it where that is due, and judges it.
  void look(StepWatch& watch, bool reports, double learning_rate, Progress& progress);
  /// Whether something is made of the model as it is now.
  bool is_used_now(const Progress& progress, std::int64_t max_steps) const;
  bool evaluate_and_tell(Progress& progress);
  StopReason finish(const Progress& progress, StopReason reason);
  /// Adds the time since the last call to progress.seconds.
  void update_clock(Progress& progress);

  TrainerParts parts_;
  TrainingOptions options_;
  std::chrono::steady_clock::time_point clock_ = std::chrono::steady_clock::now();
  double training_seconds_ = 0.0;  // in updates since the last report, evaluations excluded
};

}  // namespace zoo
