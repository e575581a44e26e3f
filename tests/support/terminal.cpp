#include "tests/support/terminal.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "core/files.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

int checked(int result, const char* what) {
  if (result < 0) throw std::runtime_error(std::string(what) + " failed");
  return result;
}

/// A pseudo-terminal of so many columns.
class Terminal {
 public:
  explicit Terminal(int columns)
      : ours_(checked(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), "posix_openpt")) {
    checked(::grantpt(ours_), "grantpt");
    checked(::unlockpt(ours_), "unlockpt");
    theirs_ =
        checked(::open(::ptsname(ours_), O_RDWR | O_NOCTTY | O_CLOEXEC), "opening a terminal");
    termios settings{};
    checked(::tcgetattr(theirs_, &settings), "tcgetattr");
    ::cfmakeraw(&settings);
    checked(::tcsetattr(theirs_, TCSANOW, &settings), "tcsetattr");
    winsize size{};
    size.ws_row = 24;
    size.ws_col = static_cast<unsigned short>(columns);
    checked(::ioctl(theirs_, TIOCSWINSZ, &size), "TIOCSWINSZ");
  }
  ~Terminal() {
    ::close(ours_);
    close_theirs();
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  int ours() const { return ours_; }
  int theirs() const { return theirs_; }
  void close_theirs() {
    if (theirs_ >= 0) ::close(theirs_);
    theirs_ = -1;
  }

 private:
  int ours_;
  int theirs_ = -1;
};

/// One stream of the child: where it writes to, and where that is read.
struct Channel {
  int write = -1;
  int read = -1;
  std::string file;
};

Channel channel_to(Stream stream, const Terminal& terminal, const std::string& file) {
  Channel channel;
  if (stream == Stream::kTerminal) {
    channel.write = terminal.theirs();
  } else if (stream == Stream::kPipe) {
    std::array<int, 2> ends{};
    checked(::pipe2(ends.data(), O_CLOEXEC), "pipe");
    channel.read = ends[0];
    channel.write = ends[1];
  } else {
    channel.file = file;
    channel.write = checked(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
                            "opening a file");
  }
  return channel;
}

[[noreturn]] void become_zoo(const Surroundings& surroundings,
                             const std::vector<std::string>& arguments, int in, int out,
                             int error) {
  ::setsid();
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(error, STDERR_FILENO);
  if (!surroundings.folder.empty() && ::chdir(surroundings.folder.c_str()) != 0) ::_exit(126);
  for (const auto* name : {"NO_COLOR", "COLUMNS", "ZOO_COMMAND"}) ::unsetenv(name);
  ::setenv("TERM", "xterm", 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  for (const auto& one : surroundings.environment) {
    const auto equals = one.find('=');
    ::setenv(one.substr(0, equals).c_str(), one.substr(equals + 1).c_str(), 1);
  }
  std::vector<char*> pointers = {const_cast<char*>(ZOO_PROGRAM)};
  for (const auto& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  ::execv(ZOO_PROGRAM, pointers.data());
  ::_exit(127);
}

/// Reads until nobody writes any more. A terminal says EIO then.
void read_all(std::vector<std::pair<int, std::string*>> sources) {
  std::array<char, 4096> bytes{};
  while (!sources.empty()) {
    std::vector<pollfd> waits;
    for (const auto& [file, text] : sources) waits.push_back({file, POLLIN, 0});
    if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = sources.size(); i-- > 0;) {
      if (waits[i].revents == 0) continue;
      const auto count = ::read(sources[i].first, bytes.data(), bytes.size());
      if (count > 0) {
        sources[i].second->append(bytes.data(), static_cast<std::size_t>(count));
      } else if (count == 0 || errno != EINTR) {
        sources.erase(sources.begin() + static_cast<std::ptrdiff_t>(i));
      }
    }
  }
}

}  // namespace

TerminalResult run_zoo_in(const Surroundings& surroundings,
                          const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  write_file_synced(folder / "in", surroundings.input);
  Terminal terminal(surroundings.columns);
  const auto out = channel_to(surroundings.out, terminal, (folder / "out").string());
  const auto error = channel_to(surroundings.error, terminal, (folder / "error").string());
  const int in = checked(::open((folder / "in").c_str(), O_RDONLY | O_CLOEXEC), "opening a file");
  const auto pid = checked(::fork(), "fork");
  if (pid == 0) become_zoo(surroundings, arguments, in, out.write, error.write);
  ::close(in);
  for (const auto* channel : {&out, &error}) {
    if (channel->write != terminal.theirs()) ::close(channel->write);
  }
  terminal.close_theirs();

  TerminalResult result;
  std::vector<std::pair<int, std::string*>> sources = {{terminal.ours(), &result.screen}};
  if (out.read >= 0) sources.emplace_back(out.read, &result.out);
  if (error.read >= 0) sources.emplace_back(error.read, &result.error);
  read_all(std::move(sources));
  int status = 0;
  ::waitpid(pid, &status, 0);
  result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  for (const auto* channel : {&out, &error}) {
    if (channel->read >= 0) ::close(channel->read);
  }
  if (!out.file.empty()) result.out = read_file(out.file);
  if (!error.file.empty()) result.error = read_file(error.file);
  return result;
}

}  // namespace zoo
