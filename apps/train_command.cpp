#include <iostream>

#include "apps/command.h"
#include "apps/files.h"
#include "apps/training_session.h"
#include "core/errors.h"
#include "training/config.h"
#include "training/run_folder.h"

namespace zoo {
namespace {

/// Fixes the length of the schedule, so that extending the run does not change what was done.
void fix_decay_steps(Experiment& experiment) {
  const bool counted = dynamic_cast<const Counted*>(experiment.model.get()) != nullptr;
  auto& schedule = experiment.config.schedule;
  if (counted || schedule.decay_steps) return;
  const auto batches = experiment.training_batches()->size();
  schedule.decay_steps = experiment.config.training.total_steps(batches);
}

int run(const cxxopts::ParseResult& arguments) {
  const auto raw =
      read_config(find_config(positional(arguments, "config")), settings_of(arguments));
  auto config = resolve_config(raw);
  locate_data(raw, config);
  auto experiment = make_experiment(std::move(config));
  fix_decay_steps(experiment);
  for (const auto& note : experiment.data.notes) std::cerr << "note: " << note << "\n";

  const std::filesystem::path folder = arguments.count("out") > 0
                                           ? arguments["out"].as<std::string>()
                                           : fresh_run_folder(experiment.config).string();
  create_run_folder(folder, experiment);
  return run_training_session(folder, experiment, std::nullopt,
                              {arguments.count("quiet") > 0, arguments.count("json") > 0});
}

}  // namespace

Command train_command() {
  return {"train",
          "CONFIG",
          "Trains the experiment that a config describes, into a new run folder",
          "zoo train configs/names/gpt.json --set training.max_steps=2000 --out runs/first",
          [](cxxopts::Options& options) {
            add_set_option(options);
            options.add_options()(
                "out", "Run folder to make; default runs/<data>-<architecture>-<time>",
                cxxopts::value<std::string>(), "DIR")("quiet", "No progress while training")(
                "config", "The config file", cxxopts::value<std::string>());
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
