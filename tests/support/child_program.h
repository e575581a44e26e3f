#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/temporary_folder.h"

namespace zoo {

using Environment = std::map<std::string, std::string>;

/// What a finished program left behind.
struct ProgramResult {
  int code = -1;  ///< exit code; 128 + N when signal N ended it
  std::string out;
  std::string error;
};

/// What a program is started with.
struct ChildSettings {
  Environment environment = {};       ///< over ours
  std::string input = {};             ///< on its stdin
  std::int64_t most_file_bytes = -1;  ///< a larger file cannot be written; -1: no limit
  bool as_nobody = false;             ///< under that user, where we are root
};

/// A program that runs beside the test, in the current folder: it can be watched, and signals can
/// be sent to it.
class ChildProgram {
 public:
  ChildProgram(const std::string& program, const std::vector<std::string>& arguments,
               const ChildSettings& settings = {});
  /// Kills it when it still runs.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Whether it still runs.
  bool runs();
  void send(int signal) const;
  /// What it wrote to stderr so far.
  std::string error_so_far() const;
  /// Waits for its end; the code is 128 + N when signal N ended it.
  ProgramResult result();

 private:
  TemporaryFolder folder_;
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = 0;
};

/// Runs a program to its end.
ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const Environment& more = {});

}  // namespace zoo
