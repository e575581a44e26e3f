#pragma once

#include <map>
#include <string>
#include <vector>

#include <sys/types.h>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {

using Environment = std::map<std::string, std::string>;

/// A program that runs beside the test: it can be watched, and signals can be sent to it.
class ChildProgram {
 public:
  /// Starts `program`, its environment ours with `more` over it; as root, under the user `nobody`
  /// where that is asked for.
  ChildProgram(const std::string& program, const std::vector<std::string>& arguments,
               const Environment& more = {}, bool as_nobody = false);
  /// Kills it when it still runs.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  /// Whether it still runs.
  bool runs();
  void send(int signal) const;
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
