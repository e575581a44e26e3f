#include "apps/child_process.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/terminal.h"
#include "core/errors.h"
#include "core/files.h"

namespace zoo {
namespace {

/// How soon a request to stop is handed on: a wait for the child could miss one.
constexpr auto kLookEvery = std::chrono::milliseconds(10);

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

/// Starts this program once more; -1: it cannot be.
pid_t start(const std::vector<std::string>& arguments, const std::string& out,
            const std::string& error) {
  std::vector<char*> pointers = {const_cast<char*>("zoo")};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  // Our own answer to a request to stop must not swallow one that reaches the child early.
  sigset_t stops, before;
  ::sigemptyset(&stops);
  ::sigaddset(&stops, SIGINT);
  ::sigaddset(&stops, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &stops, &before);
  const auto pid = ::fork();
  if (pid != 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return pid;
  }
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  // Away from the terminal's Ctrl-C, which reaches it once, from here; and not to outlive us.
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  send_to(STDIN_FILENO, "/dev/null", O_RDONLY);
  send_to(STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC);
  send_to(STDERR_FILENO, error, O_WRONLY | O_CREAT | O_TRUNC);
  ::execv("/proc/self/exe", pointers.data());
  ::_exit(127);
}

}  // namespace

ChildResult run_this_program(const std::vector<std::string>& arguments,
                             const std::filesystem::path& log) {
  const auto out = log.string() + ".out";
  const auto error = log.string() + ".err";
  for (const auto& file : {out, error}) std::ofstream(file, std::ios::trunc);
  const auto started = std::chrono::steady_clock::now();
  const auto pid = start(arguments, out, error);
  require<UserError>(pid >= 0, "no further process can be started: ", std::strerror(errno));
  int status = 0;
  rusage usage{};
  bool told = false;
  while (::wait4(pid, &status, WNOHANG, &usage) == 0) {
    if (stop_requested() && !told) told = ::kill(pid, SIGTERM) == 0;
    std::this_thread::sleep_for(kLookEvery);
  }
  ChildResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  result.peak_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  result.out = read_file(out);
  result.error = last_line(read_file(error));
  return result;
}

}  // namespace zoo
