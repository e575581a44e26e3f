#include "apps/run_options.h"

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

}  // namespace zoo
