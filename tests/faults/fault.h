#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/child_program.h"

namespace zoo {

/// What goes wrong with a program's calls on a folder; shim.cpp says what each part means.
struct Fault {
  std::string what;        ///< "ENOSPC", ..., "short", "SIGKILL", "SIGTERM"; "" nothing
  std::int64_t at = 0;     ///< the call, from 1
  std::int64_t times = 1;  ///< calls from there on; -1: all
  bool exchanges = true;   ///< whether the file system can exchange two folders
};

/// "ENOSPC at call 12, from then on".
std::string text_of_fault(const Fault& fault);

/// What makes a program meet the fault below a folder; its calls are written to `log`, if given.
Environment with_fault(const Fault& fault, const std::filesystem::path& folder,
                       const std::filesystem::path& log = {});

/// One call on the folder.
struct FileCall {
  std::int64_t number = 0;
  std::string kind;
  std::string path;
};
std::vector<FileCall> calls_in(const std::filesystem::path& log);

/// The seed of a test that draws: ZOO_SEED, or another each time. It is printed.
std::uint64_t drawn_seed(const std::string& test);

/// A count from the environment, e.g. before a release.
std::int64_t count_of(const char* variable, std::int64_t in_ci);

}  // namespace zoo
