#include "tests/support/forked.h"

#include <array>
#include <chrono>
#include <csignal>
#include <exception>
#include <stdexcept>
#include <string_view>

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace zoo {
namespace {

constexpr int kException = 3;

[[noreturn]] void answer(const std::function<std::string()>& call, int pipe) {
  std::string text;
  int code = 0;
  try {
    text = call();
  } catch (const std::exception& error) {
    text = error.what();
    code = kException;
  } catch (...) {
    text = "something that is no exception";
    code = kException;
  }
  for (std::string_view rest = text; !rest.empty();) {
    const auto written = ::write(pipe, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  ::_exit(code);  // no destructors and no flush: they are the parent's
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

ForkedResult forked(const std::function<std::string()>& call, double most_seconds) {
  using Clock = std::chrono::steady_clock;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::runtime_error("no pipe");
  const auto pid = ::fork();
  if (pid < 0) throw std::runtime_error("no process");
  if (pid == 0) {
    ::close(ends[0]);
    answer(call, ends[1]);
  }
  ::close(ends[1]);
  ForkedResult result;
  const auto end = Clock::now() + std::chrono::duration<double>(most_seconds);
  std::array<char, 4096> buffer;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    pollfd waited{ends[0], POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waited, 1, static_cast<int>(left.count())) == 0) {
      ::kill(pid, SIGKILL);
      break;
    }
    const auto count = ::read(ends[0], buffer.data(), buffer.size());
    if (count <= 0) break;
    result.text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  ::close(ends[0]);
  int status = 0;
  rusage usage{};
  ::wait4(pid, &status, 0, &usage);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.code = WEXITSTATUS(status);
  result.peak_kib = usage.ru_maxrss;
  result.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  return result;
}

}  // namespace zoo
