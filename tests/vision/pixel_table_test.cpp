#include "vision/formats/pixel_table.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Pixels = std::vector<std::uint8_t>;
using Labels = std::vector<std::string>;
using Lines = std::vector<std::int64_t>;

PixelTable table(const std::string& text, const PixelTableLayout& layout = {}) {
  return parse_pixel_table(text, "FILE", layout);
}

std::string error_of(const std::string& text, const PixelTableLayout& layout = {}) {
  return message_of<UserError>([&] { table(text, layout); });
}

}  // namespace

TEST_CASE("a table gives pixels row by row, labels and lines") {
  const auto read = table("0,255,7,cat\n1,2,3, a dog \n");
  CHECK(read.pixels_a_row == 3);
  CHECK(read.pixels == Pixels{0, 255, 7, 1, 2, 3});
  CHECK(read.labels == Labels{"cat", "a dog"});
  CHECK(read.lines == Lines{1, 2});
  CHECK(read.empty_lines == 0);
}

TEST_CASE("the label's column may be any, and the first line may name columns") {
  const auto first = table("label,p1,p2\n5,1,2\n", {1, true, 255});
  CHECK(first.pixels == Pixels{1, 2});
  CHECK(first.labels == Labels{"5"});
  CHECK(first.lines == Lines{2});
  CHECK(table("1,x,2\n", {2, false, 255}).pixels == Pixels{1, 2});
  CHECK(table("a,b\n", {std::nullopt, true, 255}).labels.empty());
}

TEST_CASE("commas, semicolons and tabs separate, whichever the first line has most of") {
  for (const auto* text : {"1,2,x", "1;2;x", "1\t2\tx"}) {
    CHECK(table(text).pixels == Pixels{1, 2});
  }
  CHECK(table("1;2;a,b\n").labels == Labels{"a,b"});
}

TEST_CASE("a byte-order mark, Windows' line ends, spaces and empty lines do no harm") {
  const auto read = table("\xEF\xBB\xBF 1, 2 ,x\r\n\r\n  \n3,4,y");
  CHECK(read.pixels == Pixels{1, 2, 3, 4});
  CHECK(read.labels == Labels{"x", "y"});
  CHECK(read.lines == Lines{1, 4});
  CHECK(read.empty_lines == 2);
  CHECK(table("").labels.empty());
}

TEST_CASE("values are scaled to 255, rounded to the nearest") {
  CHECK(table("0,1,2,7,8,15,16,x", {std::nullopt, false, 16}).pixels ==
        Pixels{0, 16, 32, 112, 128, 239, 255});
  CHECK(table("0,1,x", {std::nullopt, false, 1}).pixels == Pixels{0, 255});
  CHECK(table("65535,128,129,x", {std::nullopt, false, 65'535}).pixels == Pixels{255, 0, 1});
}

TEST_CASE("a line with another number of columns is refused with both numbers") {
  CHECK(error_of("1,2,x\n1,x\n") == "FILE, line 2: 2 columns; the first line has 3");
  CHECK(error_of("1,2,x\n1,2,3,x\n") == "FILE, line 2: 4 columns; the first line has 3");
  CHECK(error_of("a,b\n1,2,x\n", {std::nullopt, true, 255}) ==
        "FILE, line 2: 3 columns; the first line has 2");
  CHECK(error_of("1,2,x\n1;2;x\n") == "FILE, line 2: 1 column; the first line has 3");
}

TEST_CASE("a table of one column is refused") {
  CHECK(error_of("\n1 2 3\n") ==
        "FILE, line 2: one column; expected pixels and a label, separated by commas, semicolons or "
        "tabs");
}

TEST_CASE("a label's column beyond the last is refused") {
  CHECK(error_of("1,2,x\n", {4, false, 255}) ==
        "FILE, line 1: 3 columns; the label is said to be in column 4 (data.label_column)");
}

TEST_CASE("what is no pixel is refused with its line and column") {
  CHECK(error_of("1,2,x\n1,256,y\n") ==
        "FILE, line 2, column 2: '256'; a pixel is a whole number from 0 to 255 "
        "(data.largest_value)");
  for (const auto* cell :
       {"-1", "1.0", "1e2", "x", "", "+1", "1 2", "9999999999", "18446744073709551616", "17"}) {
    INFO(cell);
    CHECK_THAT(error_of("1,x\n" + std::string(cell) + ",y\n", {std::nullopt, false, 16}),
               ContainsSubstring(text_of("FILE, line 2, column 1: '", cell, "'; a pixel")));
  }
  CHECK_THAT(error_of("1,x\n\x1B[2J,y\n"), ContainsSubstring("'?[2J'"));
  CHECK_THAT(error_of("1,x\n" + std::string(50, 'a') + ",y\n"),
             ContainsSubstring("'" + std::string(20, 'a') + "...'"));
}

TEST_CASE("a first line that looks like names of columns is said to be one") {
  CHECK_THAT(error_of("p1,p2,label\n1,2,x\n"),
             ContainsSubstring("FILE, line 1, column 1: 'p1'; a pixel"));
  CHECK_THAT(error_of("p1,p2,label\n1,2,x\n"),
             ContainsSubstring("where the first line names columns, set data.header to true"));
}

TEST_CASE("a label that is empty or no plain text is refused with its line and column") {
  CHECK(error_of("1,x\n1, \n") ==
        "FILE, line 2, column 2: the label is empty; fill it in, or remove it");
  CHECK_THAT(error_of("1,\xFF\n"), ContainsSubstring("FILE, line 1, column 2: the label is not"));
}

}  // namespace zoo
