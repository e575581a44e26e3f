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

/// "200,512"
std::string with_commas(std::int64_t value);

/// "1.2 KiB", "3.4 MiB", ...
std::string bytes_text(std::int64_t bytes);

/// A token or text on one line, its control characters escaped as in JSON, quoted.
std::string quoted(const std::string& text);

}  // namespace zoo
