#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zoo {

/// What a finished program left behind.
struct ProgramResult {
  int code = -1;  ///< exit code; 128 + N when signal N ended it
  std::string out;
  std::string error;
};

/// Runs the program `zoo` with arguments and `input` on its stdin, in the current folder.
/// `interrupt_when` sends SIGINT as soon as its stderr holds that text. A write that makes a file
/// larger than `most_file_bytes` fails, as on a full disk.
ProgramResult run_zoo(const std::vector<std::string>& arguments,
                      const std::string& interrupt_when = "", const std::string& input = "",
                      std::int64_t most_file_bytes = -1);

}  // namespace zoo
