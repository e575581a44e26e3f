#include <iostream>

#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/training_session.h"
#include "core/errors.h"
#include "training/initialization.h"
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

void report(const Initialization& from, const InitializationReport& report) {
  const auto list = [](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) std::cerr << "  " << what << ": " << join(names, ", ") << "\n";
  };
  std::cerr << "starts from " << from.run.string() << " at step " << from.checkpoint.step << ": "
            << report.tensors.loaded.size() << " tensors taken over\n";
  list("resized", report.tensors.resized);
  list("new", report.tensors.fresh);
  list("left out", report.tensors.left_out);
  list("differs", report.differences);
}

/// The experiment, its weights those of the run that it starts from, if any.
Experiment make(ConfigArgument& given) {
  auto& config = given.located;
  auto& start = config.training.initialize_from;
  if (start.empty()) return make_experiment(std::move(config));
  start = located("training", "initialize_from", start, given.raw).string();
  const auto from = open_initialization(start, given.raw, config);
  auto experiment = make_experiment(std::move(config), from.vocabulary.tokenizers);
  report(from, initialize(*experiment.model, experiment.config, experiment.vocabulary, from));
  return experiment;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto session = session_options(arguments);
  auto given = config_argument(arguments);
  auto experiment = make(given);
  fix_decay_steps(experiment);
  for (const auto& note : experiment.notes()) std::cerr << "note: " << note << "\n";

  const std::filesystem::path folder = arguments.count("out") > 0
                                           ? arguments["out"].as<std::string>()
                                           : fresh_run_folder(experiment.config).string();
  create_run_folder(folder, experiment);
  const auto lock = lock_run(folder);
  return run_training_session(folder, experiment, std::nullopt, session);
}

}  // namespace

Command train_command() {
  return {"train",
          "CONFIG",
          "Trains the experiment that a config describes, into a new run folder",
          "zoo train configs/names/gpt.json --set training.max_steps=2000 --out runs/first",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            options.add_options()("out",
                                  "Run folder to make; default runs/<data>-<architecture>-<time>",
                                  cxxopts::value<std::string>(), "DIR");
            add_session_options(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
