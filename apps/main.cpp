#include <algorithm>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "apps/command.h"
#include "apps/guarded_stream.h"
#include "core/errors.h"
#include "core/names.h"
#include "core/plain_text.h"
#include "core/version.h"

namespace zoo {
namespace {

constexpr const char* kTooLarge =
    "error: not enough memory for that; a smaller model, batch or context needs less, and `zoo "
    "inspect CONFIG` says how much\n";

/// LibTorch's allocator for the CPU has no type of its own for what it cannot give, nor has a
/// tensor for a size beyond 64 bits.
bool is_out_of_memory(const c10::Error& error) {
  return dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
         error.msg().find("DefaultCPUAllocator") != std::string::npos ||
         error.msg().find("Storage size calculation overflowed") != std::string::npos;
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
  auto options = options_of(command);
  try {
    const auto arguments = options.parse(argc, argv);
    if (arguments.count("help") > 0) {
      print_help(command, options);
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
  const zoo::GuardedStream results(std::cout);
  const zoo::GuardedStream talk(std::cerr);
  try {
    const int code = zoo::run(argc, argv);
    std::cout << std::flush;
    return std::cout.good() ? code : zoo::kUserFault;
  } catch (const zoo::UserError& error) {
    std::cerr << "error: " << error.what() << "\n";
    return zoo::kUserFault;
  } catch (const std::filesystem::filesystem_error& error) {  // a name or a permission
    std::cerr << "error: cannot use " << zoo::shown_text(error.path1().string()) << ": "
              << error.code().message() << "\n";
    return zoo::kUserFault;
  } catch (const std::bad_alloc&) {
    std::cerr << zoo::kTooLarge;
    return zoo::kUserFault;
  } catch (const c10::Error& error) {
    if (zoo::is_out_of_memory(error)) {
      std::cerr << zoo::kTooLarge;
      return zoo::kUserFault;
    }
    std::cerr << "fault: " << error.what_without_backtrace() << "\n";
    return zoo::kOurFault;
  } catch (const std::exception& error) {
    std::cerr << "fault: " << error.what() << "\n";
    return zoo::kOurFault;
  }
}
