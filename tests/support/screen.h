#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace zoo {

/// What a terminal makes of the bytes that a program sends: lines, "\r", "\033[K" and colors are
/// all that it understands.
struct Screen {
  std::string text;         ///< what stands there at the end, colors left out
  std::size_t widest = 0;   ///< columns of the widest row that ever stood there
  std::size_t redraws = 0;  ///< rows that were written over
  bool colored = false;
  std::vector<std::string> faults;  ///< what else came: control characters, other sequences
};

/// Every character takes one column.
Screen screen_of(const std::string& bytes);

/// The control characters of UTF-8 text that is for no terminal, each named: all but "\n", "\t".
std::vector<std::string> control_characters(const std::string& text);

}  // namespace zoo
