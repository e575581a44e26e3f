#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace zoo {

/// What became of a call in a process of its own.
struct ForkedResult {
  int signal = 0;             ///< that ended the process; SIGKILL where its time was up
  int code = -1;              ///< its exit code: 0, or 3 after an exception
  std::string text;           ///< what the call returned, or the exception's message
  std::int64_t peak_kib = 0;  ///< most memory that was resident, the parent's at the fork included
  double cpu_seconds = 0;     ///< of the process alone, whatever else the machine does
};

/// Calls in a child, so that neither a crash nor memory that is never given back reaches the
/// caller. The child is killed after so many seconds.
ForkedResult forked(const std::function<std::string()>& call, double most_seconds = 20);

}  // namespace zoo
