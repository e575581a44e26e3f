#include <algorithm>
#include <iostream>

#include "apps/command.h"
#include "apps/training_session.h"
#include "core/errors.h"
#include "core/files.h"
#include "training/checkpoint_observer.h"
#include "training/run_folder.h"
#include "training/watches.h"

namespace zoo {
namespace {

/// What may change when a run goes on: how long, and how it reports, not what is learned from what.
void check_settings(const std::vector<std::string>& settings) {
  static const std::vector<std::string> kAllowed = {"training.max_steps",
                                                    "training.epochs",
                                                    "training.evaluate_every",
                                                    "training.patience",
                                                    "training.samples",
                                                    "training.sample_length",
                                                    "training.save_every",
                                                    "training.keep_checkpoints",
                                                    "schedule.decay_steps",
                                                    "schedule.final_ratio",
                                                    "device"};
  for (const auto& setting : settings) {
    const auto key = setting.substr(0, setting.find('='));
    const bool allowed = std::find(kAllowed.begin(), kAllowed.end(), key) != kAllowed.end();
    require<UserError>(allowed, "--set ", key, ": cannot change when a run goes on",
                       did_you_mean(key, kAllowed), "; what can: ", join(kAllowed, ", "));
  }
}

/// Whether the run was summed up when it ended at that step.
bool has_summary(const std::filesystem::path& folder, std::int64_t step) {
  const auto path = folder / "summary.json";
  if (!std::filesystem::exists(path)) return false;
  const auto summary = nlohmann::json::parse(read_file(path), nullptr, /*allow_exceptions=*/false);
  return summary.is_object() && summary.value("steps", nlohmann::json()) == step;
}

/// Throws UserError when nothing is left to do. What a kill left without its last evaluation or its
/// summary is given them.
void check_unfinished(const std::filesystem::path& folder, const Experiment& experiment,
                      const Checkpoint& checkpoint) {
  const auto& training = experiment.config.training;
  const auto step = checkpoint.step;
  const bool counted = dynamic_cast<const Counted*>(experiment.model.get()) != nullptr;
  const auto steps = counted ? 1 : training.total_steps(experiment.training_batches()->size());
  const auto progress = progress_of(checkpoint, torch::kCPU);
  const bool stopped = !counted && EarlyStopping::has_stopped(progress, training.patience);
  if (step < steps && !stopped) return;
  if ((step == steps || stopped) && !has_summary(folder, step)) return;
  const auto finished = folder.string() + ": is finished: ";
  require<UserError>(!counted, finished, "a model that counts needs one pass only");
  require<UserError>(!stopped, finished, "it stopped early at step ", step, ", after ",
                     progress.evaluations_without_gain,
                     " evaluations without a better loss; extend it with --set training.patience=",
                     2 * progress.evaluations_without_gain);
  throw UserError(text_of(finished, step, " of ", steps,
                          " steps are done; extend it with --set training.max_steps=", 2 * step));
}

int run(const cxxopts::ParseResult& arguments) {
  const std::filesystem::path folder = positional(arguments, "run");
  const auto session = session_options(arguments);
  const auto settings = settings_of(arguments);
  check_settings(settings);
  const auto lock = lock_run(folder);
  auto raw = read_run_config(folder);
  const auto made_with = raw.document.value("made_with", nlohmann::json::object());
  const auto sets = [&](const std::string& key) {
    return std::any_of(settings.begin(), settings.end(),
                       [&](const auto& setting) { return setting.starts_with(key + "="); });
  };
  if (sets("training.max_steps")) apply_settings(raw, {"training.epochs=null"});
  if (sets("training.epochs")) apply_settings(raw, {"training.max_steps=null"});
  apply_settings(raw, settings);
  const auto as_written = resolve_config(raw);
  auto config = as_written;
  locate_data(raw, config);

  const auto checkpoint = read_newest_checkpoint(folder, config.identity());
  auto experiment = with_known_data(
      raw, config, [&] { return make_experiment(config, vocabulary_of(checkpoint).tokenizers); });
  check_unfinished(folder, experiment, checkpoint);
  if (!settings.empty()) write_run_config(folder, as_written, made_with);
  return run_training_session(folder, experiment, checkpoint, session);
}

}  // namespace

Command resume_command() {
  return {"resume",
          "RUN",
          "Goes on with a run that was stopped, bit for bit, or extends a finished one",
          "zoo resume runs/first --set training.max_steps=4000",
          [](cxxopts::Options& options) {
            add_set_option(options);
            options.add_options()("run", "The run folder", cxxopts::value<std::string>());
            add_session_options(options);
            options.parse_positional({"run"});
          },
          run};
}

}  // namespace zoo
