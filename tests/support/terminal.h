#pragma once

#include <string>
#include <vector>

namespace zoo {

/// Where a stream of the program goes.
enum class Stream { kTerminal, kPipe, kFile };

/// What the program runs in. A terminal passes bytes on as they are written: no line discipline
/// puts "\r" before "\n".
struct Surroundings {
  Stream out = Stream::kTerminal;
  Stream error = Stream::kTerminal;
  int columns = 80;                           ///< of the terminal
  std::string folder = {};                    ///< the current one of the program; empty: ours
  std::vector<std::string> environment = {};  ///< "NAME=value", beside TERM=xterm and one thread
  std::string input = {};                     ///< on stdin, a file
};

/// What a program left behind.
struct TerminalResult {
  int code = -1;       ///< exit code; 128 + N when signal N ended it
  std::string screen;  ///< what the terminal was sent, by stdout and stderr
  std::string out;     ///< stdout, where that is no terminal
  std::string error;   ///< stderr, where that is no terminal
};

/// Runs the program `zoo` in such surroundings.
TerminalResult run_zoo_in(const Surroundings& surroundings,
                          const std::vector<std::string>& arguments);

}  // namespace zoo
