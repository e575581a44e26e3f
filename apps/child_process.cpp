#include "apps/child_process.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/errors.h"
#include "core/files.h"

namespace zoo {
namespace {

/// For the child, which may do little between fork and exec.
void send_to(int descriptor, const std::string& file, int flags) {
  const int opened = ::open(file.c_str(), flags, 0644);
  if (opened < 0 || ::dup2(opened, descriptor) < 0) ::_exit(126);
}

std::string last_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto start = text.find_last_of("\n\r");
  return start == std::string::npos ? text : text.substr(start + 1);
}

}  // namespace

ChildResult run_this_program(const std::vector<std::string>& arguments,
                             const std::filesystem::path& log) {
  const auto out = log.string() + ".out";
  const auto error = log.string() + ".err";
  std::vector<char*> pointers = {const_cast<char*>("zoo")};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const auto pid = ::fork();
  require<UserError>(pid >= 0, "no further process can be started: ", std::strerror(errno));
  if (pid == 0) {
    send_to(STDIN_FILENO, "/dev/null", O_RDONLY);
    send_to(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
    send_to(STDERR_FILENO, error, O_WRONLY | O_CREAT | O_TRUNC);
    ::execv("/proc/self/exe", pointers.data());
    ::_exit(127);
  }
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  ChildResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.peak_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  result.out = read_file(out);
  result.error = last_line(read_file(error));
  return result;
}

}  // namespace zoo
