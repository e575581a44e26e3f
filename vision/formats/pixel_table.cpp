#include "vision/formats/pixel_table.h"

#include <algorithm>

#include "core/errors.h"
#include "vision/formats/label_text.h"

namespace zoo {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kSeparators = ",;\t";
constexpr std::size_t kMostDigits = 9;
constexpr std::size_t kMostShown = 20;

/// Takes the first line off the text, without its break.
std::string_view take_line(std::string_view& text) {
  auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(text.size(), line.size() + 1));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(' ') == std::string_view::npos;
}

std::string_view trimmed(std::string_view cell) {
  const auto begin = std::min(cell.find_first_not_of(' '), cell.size());
  return cell.substr(begin, cell.find_last_not_of(' ') + 1 - begin);
}

/// A cell in a message: its beginning, without what would not be seen.
std::string shown(std::string_view cell) {
  std::string text(cell.substr(0, kMostShown));
  for (auto& character : text) {
    if (character < ' ' || character > '~') character = '?';
  }
  return "'" + text + (cell.size() > kMostShown ? "..." : "") + "'";
}

class PixelTableParser {
 public:
  PixelTableParser(std::string_view text, const std::string& source, const PixelTableLayout& layout)
      : rest_(text), source_(source), layout_(layout) {
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  PixelTable parse() {
    while (!rest_.empty()) {
      const auto line = take_line(rest_);
      ++line_number_;
      if (is_blank(line)) {
        ++table_.empty_lines;
      } else if (columns_ == 0) {
        begin(line);
        if (!layout_.header) add_row(line);
      } else {
        add_row(line);
      }
    }
    return std::move(table_);
  }

 private:
  /// What the first line tells of all.
  void begin(std::string_view line) {
    const auto times = [&](char separator) {
      return std::count(line.begin(), line.end(), separator);
    };
    separator_ = *std::max_element(kSeparators.begin(), kSeparators.end(),
                                   [&](char a, char b) { return times(a) < times(b); });
    columns_ = 1 + times(separator_);
    require<UserError>(columns_ > 1, place(),
                       ": one column; expected pixels and a label, separated by commas, semicolons "
                       "or tabs");
    label_column_ = layout_.label_column.value_or(columns_);
    require<UserError>(label_column_ <= columns_, place(), ": ", columns_,
                       " columns; the label is said to be in column ", label_column_,
                       " (data.label_column)");
    table_.pixels_a_row = columns_ - 1;
    // Lines that are shorter than this one, and so refused, must not make it more than the text.
    const auto rows = 1 + std::count(rest_.begin(), rest_.end(), '\n');
    table_.pixels.reserve(std::min((line.size() + rest_.size()) / 2 + 1,
                                   static_cast<std::size_t>(rows * table_.pixels_a_row)));
  }

  void add_row(std::string_view line) {
    for (std::int64_t column = 1; column <= columns_; ++column) {
      const auto end = line.find(separator_);
      if ((end == std::string_view::npos) != (column == columns_)) refuse_columns(line, column);
      const auto cell = line.substr(0, end);
      if (column == label_column_) {
        table_.labels.push_back(
            label_text(cell, [&] { return text_of(place(), ", column ", column); }));
      } else {
        table_.pixels.push_back(pixel(cell, column));
      }
      line.remove_prefix(std::min(line.size(), cell.size() + 1));
    }
    table_.lines.push_back(line_number_);
  }

  std::uint8_t pixel(std::string_view cell, std::int64_t column) const {
    const auto digits = trimmed(cell);
    std::int64_t value = digits.empty() || digits.size() > kMostDigits ? -1 : 0;
    for (std::size_t i = 0; i < digits.size() && value >= 0; ++i) {
      const bool digit = digits[i] >= '0' && digits[i] <= '9';
      value = digit ? 10 * value + (digits[i] - '0') : -1;
    }
    if (value < 0 || value > layout_.largest_value) refuse(digits, column);
    const auto largest = layout_.largest_value;
    return static_cast<std::uint8_t>((2 * 255 * value + largest) / (2 * largest));
  }

  /// `rest`: the line from that column on.
  [[noreturn]] void refuse_columns(std::string_view rest, std::int64_t column) const {
    const auto count = column + std::count(rest.begin(), rest.end(), separator_);
    throw UserError(text_of(place(), ": ", count, count == 1 ? " column" : " columns",
                            "; the first line has ", columns_));
  }

  [[noreturn]] void refuse(std::string_view cell, std::int64_t column) const {
    throw UserError(text_of(place(), ", column ", column, ": ", shown(cell),
                            "; a pixel is a whole number from 0 to ", layout_.largest_value,
                            " (data.largest_value)",
                            table_.lines.empty() && !layout_.header
                                ? "; where the first line names columns, set data.header to true"
                                : ""));
  }

  std::string place() const { return text_of(source_, ", line ", line_number_); }

  std::string_view rest_;
  const std::string& source_;
  const PixelTableLayout& layout_;
  PixelTable table_;
  char separator_ = ',';
  std::int64_t columns_ = 0, label_column_ = 0, line_number_ = 0;
};

}  // namespace

PixelTable parse_pixel_table(std::string_view text, const std::string& source,
                             const PixelTableLayout& layout) {
  return PixelTableParser(text, source, layout).parse();
}

}  // namespace zoo
