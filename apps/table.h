#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "core/format.h"

namespace zoo {

/// Rows of text in columns: the first left-aligned, numbers right-aligned.
class Table {
 public:
  /// A heading that starts with '<' stands, without it, over a left-aligned column.
  explicit Table(std::vector<std::string> headings);
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1.2 KiB", "3.4 MiB", ...
std::string bytes_text(std::int64_t bytes);

/// A sentence in lines of at most 100 columns, indented by two, after the first by four. An option
/// stays with its value (--set KEY=VALUE); a longer word has a line of its own.
void print_wrapped(std::ostream& out, const std::string& text);

/// A token or text on one line, its control characters escaped as in JSON, quoted.
std::string quoted(const std::string& text);

}  // namespace zoo
