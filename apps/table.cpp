#include "apps/table.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace zoo {
namespace {

/// Columns that UTF-8 text takes, one a code point.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

Table::Table(std::vector<std::string> headings) {
  for (auto& heading : headings) {
    const bool left = left_.empty() || heading.starts_with('<');
    left_.push_back(left);
    if (heading.starts_with('<')) heading.erase(0, 1);
  }
  rows_.push_back(std::move(headings));
}

void Table::add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

void Table::print(std::ostream& out) const {
  std::vector<std::size_t> widths(left_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string fill(widths[i] - width_of(row[i]), ' ');
      line += "  " + (left_[i] ? row[i] + fill : fill + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
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
  constexpr std::size_t kColumns = 100;
  std::string line = " ";
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find(' ', at), text.size());
    if (text.compare(at, 2, "--") == 0) end = std::min(text.find(' ', end + 1), text.size());
    const auto word = text.substr(at, end - at);
    if (line.find_first_not_of(' ') != std::string::npos &&
        width_of(line) + 1 + width_of(word) > kColumns) {
      out << line << "\n";
      line = "   ";
    }
    line += " " + word;
    at = end + 1;
  }
  out << line << "\n";
}

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace zoo
