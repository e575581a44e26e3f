#include "apps/terminal.h"

#include <csignal>
#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace zoo {
namespace {

volatile std::sig_atomic_t stop = 0;

void ask_to_stop(int /*signal*/) { stop = 1; }

}  // namespace

ConsoleStyle style_of_stderr() {
  ConsoleStyle style;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  style.live = ::isatty(STDERR_FILENO) == 1 && !dumb;
  style.color = style.live && (no_color == nullptr || *no_color == '\0');
  winsize size{};
  if (style.live && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    style.width = size.ws_col;
  }
  return style;
}

void listen_for_stop() {
  struct sigaction action = {};
  action.sa_handler = ask_to_stop;
  // The first signal asks; the handler is then gone, so that the second ends the process.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

bool stop_requested() { return stop != 0; }

}  // namespace zoo
