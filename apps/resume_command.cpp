#include <algorithm>
#include <iostream>

#include "apps/command.h"
#include "apps/training_session.h"
#include "core/errors.h"
#include "inference/run.h"
#include "training/run_folder.h"

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

int run(const cxxopts::ParseResult& arguments) {
  const std::filesystem::path folder = positional(arguments, "run");
  const auto settings = settings_of(arguments);
  check_settings(settings);
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
  auto experiment = make_experiment(std::move(config), vocabulary_of(checkpoint).tokenizers);
  check_data_unchanged(raw, experiment.files());
  if (dynamic_cast<const Counted*>(experiment.model.get()) == nullptr) {
    const auto batches = experiment.training_batches()->size();
    const auto steps = experiment.config.training.total_steps(batches);
    require<UserError>(
        checkpoint.step < steps, folder.string(), ": is finished: ", checkpoint.step, " of ", steps,
        " steps are done; extend it with --set training.max_steps=", 2 * checkpoint.step);
  } else {
    throw UserError(folder.string() + ": is finished: a model that counts needs one pass only");
  }
  if (!settings.empty()) write_run_config(folder, as_written, made_with);
  return run_training_session(folder, experiment, checkpoint,
                              {arguments.count("quiet") > 0, arguments.count("json") > 0});
}

}  // namespace

Command resume_command() {
  return {"resume",
          "RUN",
          "Goes on with a run that was stopped, bit for bit, or extends a finished one",
          "zoo resume runs/first --set training.max_steps=4000",
          [](cxxopts::Options& options) {
            add_set_option(options);
            options.add_options()("quiet", "No progress while training")(
                "run", "The run folder", cxxopts::value<std::string>());
            add_json_option(options);
            options.parse_positional({"run"});
          },
          run};
}

}  // namespace zoo
