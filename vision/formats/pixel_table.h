#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// How a table of pixels is written.
struct PixelTableLayout {
  std::optional<std::int64_t> label_column;  ///< from 1; unset: the last
  bool header = false;                       ///< the first line names columns
  std::int64_t largest_value = 255;          ///< of full brightness, 1 .. 65535
};

/// An image and its label in each row.
struct PixelTable {
  std::int64_t pixels_a_row = 0;
  std::vector<std::uint8_t> pixels;  ///< row by row, scaled to 255
  std::vector<std::string> labels;
  std::vector<std::int64_t> lines;  ///< where the rows stand, from 1
  std::int64_t empty_lines = 0;     ///< that were skipped
};

/// Lines of whole numbers and a label, separated by commas, semicolons or tabs, whichever the first
/// line has most of; there is no quoting. Throws UserError with line and column: no separator,
/// lines of different lengths, a pixel that is no number in 0 .. largest_value, no label.
PixelTable parse_pixel_table(std::string_view text, const std::string& source,
                             const PixelTableLayout& layout);

}  // namespace zoo
