#include "apps/command.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "apps/terminal.h"
#include "apps/wrapped_text.h"
#include "core/errors.h"

namespace zoo {
namespace {

std::string sentences(const std::string& text) {
  return in_lines(words_of(text), columns_of_sentences(), {});
}

/// cxxopts leaves spaces where it breaks a line.
std::string without_trailing_spaces(const std::string& text) {
  std::string trimmed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    trimmed += line.erase(line.find_last_not_of(' ') + 1) + "\n";
  }
  return trimmed;
}

}  // namespace

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

cxxopts::Options options_of(const Command& command) {
  cxxopts::Options options("zoo " + command.name, sentences(command.summary + "."));
  options.custom_help("[OPTIONS]");
  options.positional_help(command.arguments);
  options.set_width(static_cast<std::size_t>(columns_of_sentences()));
  command.add_options(options);
  options.add_options()("h,help", "Show this help");
  return options;
}

void print_help() {
  std::size_t longest = 0;
  for (const auto& command : commands()) longest = std::max(longest, command.name.size());
  std::cout << sentences(
                   "zoo: trains a configured model, compares architectures, exports what it "
                   "trained.")
            << "\n\nUsage: zoo COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const auto& command : commands()) {
    const auto start = "  " + command.name + std::string(longest + 2 - command.name.size(), ' ');
    const auto room = columns_of_sentences() - static_cast<std::int64_t>(start.size());
    auto lines = lines_within(command.summary, room);
    std::cout << start << lines.front() << "\n";
    lines.erase(lines.begin());
    for (const auto& line : lines) std::cout << std::string(start.size(), ' ') << line << "\n";
  }
  std::cout << "\n"
            << sentences("`zoo COMMAND --help` shows the options of a command and an example.")
            << "\n"
            << sentences(
                   "Exit codes: 0 done, 2 something you can mend, 1 a fault of the program, "
                   "130 stopped by Ctrl-C.")
            << "\n";
}

void print_help(const Command& command, const cxxopts::Options& options) {
  std::cout << without_trailing_spaces(options.help()) << "\n";
  if (!command.note.empty()) std::cout << sentences(command.note) << "\n\n";
  std::cout << "Example:\n  " << command_in_lines(command.example, columns_of_sentences() - 2)
            << "\n";
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
