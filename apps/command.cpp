#include "apps/command.h"

#include <cstdlib>

#include "core/errors.h"

namespace zoo {

#define ZOO_COMMAND(name) Command name##_command();
#include "apps/commands.def"
#undef ZOO_COMMAND

const std::vector<Command>& commands() {
  static const std::vector<Command> rows = {
#define ZOO_COMMAND(name) name##_command(),
#include "apps/commands.def"
#undef ZOO_COMMAND
  };
  return rows;
}

std::string program_name() {
  const char* name = std::getenv("ZOO_COMMAND");
  return name != nullptr && *name != '\0' ? name : "zoo";
}

std::string positional(const cxxopts::ParseResult& arguments, const std::string& name) {
  require<UserError>(arguments.count(name) > 0, "no ", name, " given; see --help");
  return arguments[name].as<std::string>();
}

std::vector<std::string> positionals(const cxxopts::ParseResult& arguments,
                                     const std::string& name) {
  require<UserError>(arguments.count(name) > 0, "no ", name, " given; see --help");
  return arguments[name].as<std::vector<std::string>>();
}

std::vector<std::string> settings_of(const cxxopts::ParseResult& arguments) {
  return arguments.count("set") > 0 ? arguments["set"].as<std::vector<std::string>>()
                                    : std::vector<std::string>{};
}

void add_set_option(cxxopts::Options& options) {
  options.add_options()("set", "Set a config value over the file's (repeatable)",
                        cxxopts::value<std::vector<std::string>>(), "KEY=VALUE");
}

void add_json_option(cxxopts::Options& options) {
  options.add_options()("json", "Print one JSON object instead of text");
}

}  // namespace zoo
