#include "tests/support/child_program.h"

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files.h"

namespace zoo {
namespace {

constexpr uid_t kNobody = 65534;

/// For the child, between fork and exec.
void connect(int descriptor, const std::string& file, int flags) {
  const int opened = ::open(file.c_str(), flags);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

/// A write beyond the limit then fails, as on a full disk.
void limit_files(std::int64_t bytes) {
  const auto most = static_cast<rlim_t>(bytes);
  const rlimit limit{most, most};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

ChildProgram::ChildProgram(const std::string& program, const std::vector<std::string>& arguments,
                           const ChildSettings& settings) {
  const auto in = (folder_ / "in").string();
  const auto out = (folder_ / "out").string();
  const auto error = (folder_ / "error").string();
  write_file_synced(in, settings.input);
  for (const auto& file : {out, error}) write_file_synced(file, "");  // a kill may come at once
  std::vector<char*> pointers = {const_cast<char*>(program.c_str())};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ < 0) throw std::runtime_error("no further process");
  if (pid_ != 0) return;
  connect(STDIN_FILENO, in, O_RDONLY);
  connect(STDOUT_FILENO, out, O_WRONLY);
  connect(STDERR_FILENO, error, O_WRONLY);
  for (const auto& [name, value] : settings.environment) {
    ::setenv(name.c_str(), value.c_str(), /*overwrite=*/1);
  }
  if (settings.most_file_bytes >= 0) limit_files(settings.most_file_bytes);
  if (settings.as_nobody && ::geteuid() == 0 && ::setuid(kNobody) != 0) ::_exit(126);
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

std::string ChildProgram::error_so_far() const { return read_file(folder_ / "error"); }

ProgramResult ChildProgram::result() {
  if (!ended_) ::waitpid(pid_, &status_, 0);
  ended_ = true;
  ProgramResult result;
  result.code = WIFEXITED(status_) ? WEXITSTATUS(status_) : 128 + WTERMSIG(status_);
  result.out = read_file(folder_ / "out");
  result.error = error_so_far();
  return result;
}

ProgramResult run_program(const std::string& program, const std::vector<std::string>& arguments,
                          const Environment& more) {
  return ChildProgram(program, arguments, {.environment = more}).result();
}

}  // namespace zoo
