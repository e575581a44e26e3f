#include "apps/run_options.h"

#include <iostream>

#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace zoo {

void add_run_options(cxxopts::Options& options) {
  options.add_options()("checkpoint", "Which weights: best, last or step-N",
                        cxxopts::value<std::string>()->default_value("best"), "NAME")(
      "device", "auto, cpu, cuda or cuda:N; default the run's own", cxxopts::value<std::string>(),
      "NAME")("run", "The run folder", cxxopts::value<std::string>());
  options.parse_positional({"run"});
}

Run open_run(const cxxopts::ParseResult& arguments) {
  return open_run(positional(arguments, "run"), arguments["checkpoint"].as<std::string>(),
                  arguments.count("device") > 0 ? arguments["device"].as<std::string>() : "");
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
