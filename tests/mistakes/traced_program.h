#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/program.h"

namespace zoo {

/// Whether programs can be watched here: strace is there and may trace.
bool can_trace();

/// A program that was watched.
struct TracedProgram {
  ProgramResult result;
  std::vector<std::string> calls;  ///< a line each, as strace writes them
};

/// Runs `zoo` under strace, which notes what starts programs, opens sockets and changes files.
TracedProgram traced_zoo(const std::vector<std::string>& arguments);

/// Those of the calls that a program which only reads and writes `folder` does not make: another
/// program started, a socket, a file outside written, made, renamed or removed. The first call,
/// which starts the program itself, is none of them.
std::vector<std::string> forbidden_calls(const std::vector<std::string>& calls,
                                         const std::filesystem::path& folder);

}  // namespace zoo
