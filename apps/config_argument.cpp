#include "apps/config_argument.h"

#include <filesystem>

#include "core/errors.h"
#include "training/experiment.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

fs::path find_config(const std::string& name) {
  if (fs::exists(name)) return name;
  std::error_code error;
  const auto program = fs::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share" / "zoo" / name;
  if (!error && fs::exists(installed)) return installed;
  throw UserError(name +
                  ": no such config; the project's own are below configs/, e.g. "
                  "configs/names/gpt.json");
}

}  // namespace

void add_config_argument(cxxopts::Options& options) {
  add_set_option(options);
  options.add_options()("config", "The config file", cxxopts::value<std::string>());
}

ConfigArgument config_argument(const cxxopts::ParseResult& arguments, const std::string& name) {
  ConfigArgument argument;
  argument.raw = read_config(find_config(positional(arguments, name)), settings_of(arguments));
  argument.config = resolve_config(argument.raw);
  argument.located = argument.config;
  locate_data(argument.raw, argument.located);
  return argument;
}

}  // namespace zoo
