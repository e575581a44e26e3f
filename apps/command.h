#pragma once

#include <string>
#include <vector>

// A --set value may hold commas, e.g. optimizer.betas=[0.9,0.99]. Regular expressions would cost
// each command some eight seconds of compiling.
#define CXXOPTS_NO_REGEX
#define CXXOPTS_VECTOR_DELIMITER '\0'
#include <cxxopts.hpp>

namespace zoo {

/// Exit codes: done, a fault of ours, something the user can mend, stopped by Ctrl-C.
enum ExitCode { kDone = 0, kOurFault = 1, kUserFault = 2, kInterruptedExit = 130 };

/// One command of the program.
struct Command {
  std::string name;
  std::string arguments;  ///< positional ones, as the usage line shows them
  std::string summary;
  std::string example;
  void (*add_options)(cxxopts::Options& options);
  int (*run)(const cxxopts::ParseResult& arguments);
  std::string note = {};  ///< what a user must know beside the options
};

/// Every command, in the order of the help.
const std::vector<Command>& commands();

/// What cxxopts knows of a command.
cxxopts::Options options_of(const Command& command);

/// Prints the help of the program, and of a command.
void print_help();
void print_help(const Command& command, const cxxopts::Options& options);

/// How this program was called, for the commands that it proposes: "zoo" or "scripts/zoo".
std::string program_name();

/// The value of a positional argument. Throws UserError when it is missing.
std::string positional(const cxxopts::ParseResult& arguments, const std::string& name);

/// The same of one that may be given several times, at least once.
std::vector<std::string> positionals(const cxxopts::ParseResult& arguments,
                                     const std::string& name);

/// The values of --set.
std::vector<std::string> settings_of(const cxxopts::ParseResult& arguments);

/// Adds a repeatable --set KEY=VALUE.
void add_set_option(cxxopts::Options& options);

/// Adds --json.
void add_json_option(cxxopts::Options& options);

}  // namespace zoo
