#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "apps/wrapped_text.h"
#include "core/format.h"

namespace zoo {

/// Rows of text in columns: the first left-aligned, numbers right-aligned. On a terminal that is
/// narrower, columns of text and headings are wrapped; where that does not do, columns go below,
/// beside the first one again.
class Table {
 public:
  /// A heading that starts with '<' stands, without it, over a left-aligned column.
  explicit Table(std::vector<std::string> headings);
  void add(std::vector<std::string> cells);
  void print(std::ostream& out) const;

 private:
  struct Column {
    bool left;
    std::int64_t width;  ///< of the widest cell
    std::int64_t least;  ///< that it can be wrapped to
  };

  void print(std::ostream& out, std::int64_t columns) const;
  void print_part(std::ostream& out, const std::vector<std::size_t>& part,
                  std::int64_t columns) const;
  std::vector<std::int64_t> widths_within(const std::vector<std::size_t>& part,
                                          std::int64_t columns) const;

  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// "1.2 KiB", "3.4 MiB", ...
std::string bytes_text(std::int64_t bytes);

/// A sentence in lines of at most 100 columns, or a narrower terminal's, indented by two, after the
/// first by four. An option stays with its value (--set KEY=VALUE); a longer word has a line of its
/// own.
void print_wrapped(std::ostream& out, const std::string& text);

/// A sentence between two line breaks: where stdout is a terminal in lines that fit, with these
/// indents, elsewhere in one.
std::string fitted(const Indents& indents, const std::string& text);

/// A token or text on one line, its control characters escaped as in JSON, quoted.
std::string quoted(const std::string& text);

}  // namespace zoo
