#include "vision/formats/image_file.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using std::string_literals::operator""s;

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { decode_image(bytes, "a.png"); });
}

}  // namespace

TEST_CASE("PNG and JPEG are told apart by their first bytes") {
  CHECK(decode_image(png_file({}, {7}), "a.jpg").pixels == std::vector<std::uint8_t>{7});
  CHECK(decode_image(jpeg_file({}, {128}), "a.png").pixels == std::vector<std::uint8_t>{128});
}

TEST_CASE("an empty file is refused") {
  CHECK(error_of("") == "a.png: the file is empty; replace it or remove it");
}

TEST_CASE("other formats of images are refused by their names") {
  const std::pair<std::string, std::string> files[] = {{"GIF89a...", "GIF"},
                                                       {"RIFF\0\0\0\0WEBPVP8 "s, "WebP"},
                                                       {"BM......", "BMP"},
                                                       {"II*\0...."s, "TIFF"},
                                                       {"MM\0*...."s, "TIFF"},
                                                       {"\0\0\0\x1C"
                                                        "ftypheic"s,
                                                        "HEIC"},
                                                       {"\0\0\0\x1C"
                                                        "ftypavif"s,
                                                        "AVIF"},
                                                       {"\xFF\x0A..."s, "JPEG XL"},
                                                       {"\0\0\0\x0CjP  \r\n"s, "JPEG 2000"},
                                                       {"%PDF-1.7", "PDF"},
                                                       {"<svg xmlns", "SVG"},
                                                       {"<?xml version='1.0'?>\n<svg", "SVG"}};
  for (const auto& [bytes, format] : files) {
    CHECK(error_of(bytes) == "a.png: a " + format + " file; PNG and JPEG are read, so convert it");
  }
}

TEST_CASE("bytes that are no image are refused with how they begin") {
  CHECK(error_of("hello, world") ==
        "a.png: no image: it starts with 68656c6c6f2c2077; PNG and JPEG are read, so convert it or "
        "remove it");
  CHECK_THAT(error_of("R"), ContainsSubstring("it starts with 52;"));
  CHECK_THAT(error_of("<?xml version='1.0'?><html>"), ContainsSubstring("no image"));
}

}  // namespace zoo
