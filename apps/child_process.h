#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace zoo {

/// What a finished process left behind.
struct ChildResult {
  int code = -1;  ///< exit code; 128 + N when signal N ended it
  std::int64_t peak_bytes = 0;
  double seconds = 0.0;  ///< from its start to its end
  std::string out;
  std::string error;  ///< the last line of what it wrote to stderr
};

/// Runs this program once more with other arguments, in the current folder, and waits for it; a
/// request to stop is handed on. What it prints goes to files beside `log`, LOG.out and LOG.err,
/// which stay.
ChildResult run_this_program(const std::vector<std::string>& arguments,
                             const std::filesystem::path& log);

}  // namespace zoo
