#include "vision/formats/pixel_table.h"

#include "core/plain_text.h"
#include "tests/fuzz/fuzz_target.h"

namespace zoo {

/// A byte for the label's column and the header, one for the largest value, then a table.
void fuzz_one(std::string_view bytes) {
  if (bytes.size() < 2) return;
  const auto flags = static_cast<unsigned char>(bytes[0]);
  const auto largest = static_cast<unsigned char>(bytes[1]);
  PixelTableLayout layout;
  if (flags % 4 > 0) layout.label_column = flags % 4;
  layout.header = flags / 4 % 2 == 1;
  layout.largest_value = largest == 0 ? 65'535 : largest;
  const auto table = parse_pixel_table(bytes.substr(2), "pixels.csv", layout);
  const auto rows = table.labels.size();
  expect(table.lines.size() == rows, "a line a row");
  expect(table.pixels.size() == rows * static_cast<std::size_t>(table.pixels_a_row),
         "rows have the same number of pixels");
  expect(table.pixels.size() <= bytes.size(), "pixels are parts of the text");
  for (std::size_t i = 0; i < rows; ++i) {
    expect(!table.labels[i].empty() && is_plain_text(table.labels[i]), "labels can be shown");
    expect(table.lines[i] > (i == 0 ? 0 : table.lines[i - 1]), "lines are counted from 1");
  }
}

}  // namespace zoo
