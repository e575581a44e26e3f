#include "apps/table.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "apps/guarded_stream.h"
#include "apps/terminal.h"
#include "text/display_columns.h"

namespace zoo {
namespace {

constexpr std::int64_t kGap = 2;
/// A longer word of a column of text may be broken.
constexpr std::int64_t kUnbroken = 32;

std::int64_t longest_word(const std::string& text) {
  std::int64_t longest = 0;
  for (const auto& word : words_of(text)) longest = std::max(longest, display_columns(word));
  return longest;
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
  for (auto& heading : headings) {
    const bool left = columns_.empty() || heading.starts_with('<');
    if (heading.starts_with('<')) heading.erase(0, 1);
    heading = with_escaped_controls(heading);
    columns_.push_back({left, display_columns(heading), longest_word(heading)});
  }
  rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto& column = columns_[i];
    cells[i] = with_escaped_controls(cells[i]);
    const auto width = display_columns(cells[i]);
    column.width = std::max(column.width, width);
    const auto least = column.left ? std::min(longest_word(cells[i]), kUnbroken) : width;
    column.least = std::max(column.least, least);
  }
  rows_.push_back(std::move(cells));
}

void Table::print(std::ostream& out) const {
  print(out, columns_of_stdout().value_or(std::numeric_limits<std::int64_t>::max()));
}

void Table::print(std::ostream& out, std::int64_t columns) const {
  std::vector<std::size_t> part = {0};
  auto least = kGap + columns_[0].least;
  std::int64_t width = kGap + columns_[0].width;
  for (std::size_t i = 1; i < columns_.size(); ++i) width += kGap + columns_[i].width;
  for (std::size_t i = 1; i < columns_.size(); ++i) {
    least += kGap + columns_[i].least;
    if (width > columns && least > columns && part.size() > 1) {
      print_part(out, part, columns);
      out << "\n";
      part = {0};
      least = 2 * kGap + columns_[0].least + columns_[i].least;
    }
    part.push_back(i);
  }
  print_part(out, part, columns);
}

std::vector<std::int64_t> Table::widths_within(const std::vector<std::size_t>& part,
                                               std::int64_t columns) const {
  const auto at_most = [&](std::int64_t most) {
    std::vector<std::int64_t> widths;
    for (const auto i : part) {
      widths.push_back(std::max(columns_[i].least, std::min(columns_[i].width, most)));
    }
    return widths;
  };
  const auto fits = [&](const std::vector<std::int64_t>& widths) {
    const auto gaps = kGap * static_cast<std::int64_t>(widths.size());
    return std::accumulate(widths.begin(), widths.end(), gaps) <= columns;
  };
  auto widths = at_most(std::numeric_limits<std::int64_t>::max());
  // The widest give way until all have room.
  if (!fits(widths)) {
    auto most = *std::max_element(widths.begin(), widths.end());
    while (most > 1 && !fits(widths)) widths = at_most(--most);
  }
  return widths;
}

void Table::print_part(std::ostream& out, const std::vector<std::size_t>& part,
                       std::int64_t columns) const {
  const auto widths = widths_within(part, columns);
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> cells;
    std::size_t height = 1;
    for (std::size_t k = 0; k < part.size(); ++k) {
      const bool there = part[k] < row.size();
      cells.push_back(lines_within(there ? row[part[k]] : "", widths[k]));
      height = std::max(height, cells.back().size());
    }
    for (std::size_t number = 0; number < height; ++number) {
      std::string line;
      for (std::size_t k = 0; k < part.size(); ++k) {
        const auto text = number < cells[k].size() ? cells[k][number] : "";
        const auto room = std::max<std::int64_t>(0, widths[k] - display_columns(text));
        const std::string fill(static_cast<std::size_t>(room), ' ');
        line += std::string(kGap, ' ') + (columns_[part[k]].left ? text + fill : fill + text);
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out << line << "\n";
    }
  }
}

std::string bytes_text(std::int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  int unit = 0;
  while (value >= 1024.0 && unit < 4) {
    value /= 1024.0;
    ++unit;
  }
  return fixed_digits(value, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

void print_wrapped(std::ostream& out, const std::string& text) {
  out << in_lines(words_of(text), columns_of_sentences(), {"  ", "    "}) << "\n";
}

std::string fitted(const Indents& indents, const std::string& text) {
  const auto columns = columns_of_stdout();
  return columns ? in_lines(words_of(text), *columns, indents) : indents.first + text;
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace zoo
