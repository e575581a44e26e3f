#include "tests/support/child_program.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files.h"

namespace zoo {
namespace {

constexpr uid_t kNobody = 65534;

/// For the child, between fork and exec.
void send_to(int descriptor, const std::string& file) {
  const int opened = ::open(file.c_str(), O_WRONLY);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

}  // namespace

ChildProgram::ChildProgram(const std::string& program, const std::vector<std::string>& arguments,
                           const Environment& more, bool as_nobody) {
  const auto out = (folder_ / "out").string();
  const auto error = (folder_ / "error").string();
  for (const auto& file : {out, error}) write_file_synced(file, "");  // a kill may come at once
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no further process");
  if (pid_ != 0) return;
  ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
  send_to(STDOUT_FILENO, out);
  send_to(STDERR_FILENO, error);
  for (const auto& [name, value] : more) ::setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  if (as_nobody && ::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(126);
  ::execv(program.c_str(), pointers.data());
  ::_exit(127);
}

ChildProgram::~ChildProgram() {
  if (ended_) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, &status_, 0);
}

bool ChildProgram::runs() {
  if (!ended_) ended_ = ::waitpid(pid_, &status_, WNOHANG) == pid_;
  return !ended_;
}

void ChildProgram::send(int signal) const {
  if (!ended_) ::kill(pid_, signal);
}

ProgramResult ChildProgram::result() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  ProgramResult result;
  result.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  result.out = read_file(folder_ / "out");
  result.error = read_file(folder_ / "error");
  return result;
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const Environment& more) {
  return ChildProgram(program, arguments, more).result();
}

}  // namespace zoo
