#include "apps/terminal.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace zoo {
namespace {

constexpr int kUsualColumns = 80;
constexpr std::int64_t kSentenceColumns = 100;
/// What is narrower is not laid out for.
constexpr std::int64_t kFewestColumns = 40;

volatile std::sig_atomic_t stop = 0;

void ask_to_stop(int /*signal*/) { stop = 1; }

/// Of a terminal; some do not say how wide they are.
int columns_of(int file) {
  winsize size{};
  return ::ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsualColumns;
}

}  // namespace

ConsoleStyle style_of_stderr() {
  ConsoleStyle style;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
  style.live = is_terminal && !dumb;
  style.color = style.live && (no_color == nullptr || *no_color == '\0');
  if (is_terminal) style.width = [] { return columns_of(STDERR_FILENO); };
  return style;
}

std::optional<std::int64_t> columns_of_stdout() {
  if (::isatty(STDOUT_FILENO) != 1) return std::nullopt;
  return std::max<std::int64_t>(columns_of(STDOUT_FILENO), kFewestColumns);
}

std::int64_t columns_of_sentences() {
  return std::min(columns_of_stdout().value_or(kSentenceColumns), kSentenceColumns);
}

std::ostream& terminal_stderr() { return std::clog; }

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
