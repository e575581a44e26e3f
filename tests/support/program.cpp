#include "tests/support/program.h"

#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/files.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

pid_t start(const std::vector<std::string>& arguments, const std::string& in,
            const std::string& out, const std::string& error, std::int64_t most_file_bytes) {
  const auto pid = ::fork();
  if (pid != 0) return pid;
  ::dup2(::open(in.c_str(), O_RDONLY), STDIN_FILENO);
  ::dup2(::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
  ::dup2(::open(error.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
  if (most_file_bytes >= 0) {
    const auto most = static_cast<rlim_t>(most_file_bytes);
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);  // the write fails instead
  }
  std::vector<char*> pointers = {const_cast<char*>(ZOO_PROGRAM)};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ::execv(ZOO_PROGRAM, pointers.data());
  ::_exit(127);
}

}  // namespace

ProgramResult run_zoo(const std::vector<std::string>& arguments, const std::string& interrupt_when,
                      const std::string& input, std::int64_t most_file_bytes) {
  const TemporaryFolder folder;
  const auto in = (folder / "in").string();
  write_file_synced(in, input);
  const auto out = (folder / "out").string();
  const auto error = (folder / "error").string();
  const auto pid = start(arguments, in, out, error, most_file_bytes);
  int status = 0;
  bool waiting = !interrupt_when.empty();
  while (waiting && ::waitpid(pid, &status, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (std::filesystem::exists(error) &&
        read_file(error).find(interrupt_when) != std::string::npos) {
      ::kill(pid, SIGINT);
      waiting = false;
    }
  }
  if (!waiting) ::waitpid(pid, &status, 0);
  ProgramResult result;
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_file(out);
  result.error = read_file(error);
  return result;
}

}  // namespace zoo
