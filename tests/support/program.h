#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/child_program.h"

namespace zoo {

/// Runs the program `zoo` with arguments and `input` on its stdin, in the current folder.
/// `interrupt_when` sends SIGINT as soon as its stderr holds that text. A write that makes a file
/// larger than `most_file_bytes` fails, as on a full disk.
ProgramResult run_zoo(const std::vector<std::string>& arguments,
                      const std::string& interrupt_when = "", const std::string& input = "",
                      std::int64_t most_file_bytes = -1);

}  // namespace zoo
