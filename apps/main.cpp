#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "apps/command.h"
#include "core/errors.h"
#include "core/names.h"
#include "core/version.h"

namespace zoo {
namespace {

void print_help() {
  std::cout
      << "zoo: trains a configured model, compares architectures, exports what it trained.\n\n"
      << "Usage: zoo COMMAND [ARGUMENTS]\n\nCommands:\n";
  for (const auto& command : commands()) {
    std::cout << "  " << command.name << std::string(12 - command.name.size(), ' ')
              << command.summary << "\n";
  }
  std::cout << "\n`zoo COMMAND --help` shows the options of a command and an example.\n"
            << "Exit codes: 0 done, 2 something you can mend, 1 a fault of the program, "
               "130 stopped by Ctrl-C.\n";
}

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& command : commands()) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw UserError(text_of("zoo: no command ", name, did_you_mean(name, names),
                          "; commands: ", join(names, ", ")));
}

int run_command(const Command& command, int argc, char** argv) {
  cxxopts::Options options("zoo " + command.name, command.summary + ".");
  options.custom_help("[OPTIONS]");
  options.positional_help(command.arguments);
  options.set_width(100);
  command.add_options(options);
  options.add_options()("h,help", "Show this help");
  try {
    const auto arguments = options.parse(argc, argv);
    if (arguments.count("help") > 0) {
      std::cout << options.help() << "\n";
      if (!command.note.empty()) std::cout << command.note << "\n\n";
      std::cout << "Example:\n  " << command.example << "\n";
      return kDone;
    }
    require<UserError>(arguments.unmatched().empty(), "zoo ", command.name,
                       ": too many arguments: ", join(arguments.unmatched(), " "), "; see zoo ",
                       command.name, " --help");
    return command.run(arguments);
  } catch (const cxxopts::exceptions::exception& error) {
    throw UserError(
        text_of("zoo ", command.name, ": ", error.what(), "; see zoo ", command.name, " --help"));
  }
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "--help";
  if (name == "--help" || name == "-h" || name == "help") {
    print_help();
    return kDone;
  }
  if (name == "--version") {
    std::cout << "zoo " << version() << "\n";
    return kDone;
  }
  if (name == "commands") {  // for scripts: the names, one a line
    for (const auto& command : commands()) std::cout << command.name << "\n";
    return kDone;
  }
  return run_command(find_command(name), argc - 1, argv + 1);
}

}  // namespace
}  // namespace zoo

int main(int argc, char** argv) {
  try {
    const int code = zoo::run(argc, argv);
    std::cout << std::flush;
    return std::cout.good() ? code : zoo::kUserFault;
  } catch (const zoo::UserError& error) {
    std::cerr << "error: " << error.what() << "\n";
    return zoo::kUserFault;
  } catch (const c10::Error& error) {
    std::cerr << "fault: " << error.what_without_backtrace() << "\n";
    return zoo::kOurFault;
  } catch (const std::exception& error) {
    std::cerr << "fault: " << error.what() << "\n";
    return zoo::kOurFault;
  }
}
