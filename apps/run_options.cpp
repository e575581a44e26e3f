#include "apps/run_options.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/names.h"
#include "inference/export/export.h"

namespace zoo {
namespace {

std::string device_name(const cxxopts::ParseResult& arguments) {
  return arguments.count("device") > 0 ? arguments["device"].as<std::string>() : "";
}

void add_choice_options(cxxopts::Options& options) {
  options.add_options()("checkpoint", "Which weights: best, last or step-N",
                        cxxopts::value<std::string>()->default_value("best"),
                        "NAME")("device", "auto, cpu, cuda or cuda:N; default the run's own",
                                cxxopts::value<std::string>(), "NAME");
}

}  // namespace

void add_run_options(cxxopts::Options& options) {
  add_choice_options(options);
  options.add_options()("run", "The run folder", cxxopts::value<std::string>());
  options.parse_positional({"run"});
}

void add_runs_options(cxxopts::Options& options) {
  add_choice_options(options);
  add_set_option(options);
  options.add_options()("run", "Run folders or exports",
                        cxxopts::value<std::vector<std::string>>());
  options.parse_positional({"run"});
}

Run open_run(const cxxopts::ParseResult& arguments) {
  const auto path = positional(arguments, "run");
  require<UserError>(!std::filesystem::is_regular_file(path), path,
                     ": is a file, and this command reads run folders; `", program_name(),
                     " eval` and `", program_name(), " generate` read exports too");
  return open_run(path, arguments["checkpoint"].as<std::string>(), device_name(arguments));
}

Run open_run_or_export(const cxxopts::ParseResult& arguments, const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    require<UserError>(settings_of(arguments).empty(), "--set: ", path,
                       " is a run folder, whose config is as it was trained; --set is for exports");
    return open_run(path, arguments["checkpoint"].as<std::string>(), device_name(arguments));
  }
  require<UserError>(arguments.count("checkpoint") == 0, "--checkpoint: ", path,
                     " is an export, which has one; leave it out");
  return open_export(path, device_name(arguments), settings_of(arguments));
}

void require_task(const Run& run, TaskType task) {
  const auto& general = run.config.general;
  require<UserError>(general.task == task, run.folder.string(), ": its task is ",
                     name_of(general.task), ", and this needs ", name_of(task),
                     ", which is learned by ", join(architectures_for(name_of(task)), ", "), "; `",
                     program_name(), " ", command_for(general.task), " ", run.folder.string(),
                     "` uses this one");
}

const char* command_for(TaskType task) {
  switch (task) {
    case TaskType::kSequenceToSequence:
      return "translate";
    case TaskType::kMaskedLanguageModel:
      return "fill";
    case TaskType::kTextClassification:
    case TaskType::kImageClassification:
      return "classify";
    case TaskType::kLanguageModel:
      break;
  }
  return "generate";
}

void print_results(const Run& run, nlohmann::json results) {
  const nlohmann::json json = {{"run", run.folder.string()}, {"results", std::move(results)}};
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace zoo
