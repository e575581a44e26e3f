#include "vision/formats/jpeg.h"

#include <algorithm>
#include <cstdlib>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Pixels = std::vector<std::uint8_t>;

Image decoded(const std::string& bytes) { return decode_jpeg(bytes, "a.jpg"); }

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { decoded(bytes); });
}

JpegRecipe recipe(std::uint32_t height, std::uint32_t width, J_COLOR_SPACE in, J_COLOR_SPACE out) {
  JpegRecipe made;
  made.height = height;
  made.width = width;
  made.in = in;
  made.out = out;
  return made;
}

Pixels ramp(std::size_t size) {
  Pixels pixels;
  for (std::size_t i = 0; i < size; ++i) pixels.push_back(static_cast<std::uint8_t>(100 + i % 50));
  return pixels;
}

int largest_difference(const Pixels& a, const Pixels& b) {
  REQUIRE(a.size() == b.size());
  int largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(int{a[i]} - int{b[i]}));
  }
  return largest;
}

/// Overwrites the sizes in the header of the frame.
std::string with_size(std::string bytes, std::uint16_t height, std::uint16_t width) {
  const auto at = bytes.find("\xFF\xC0");
  REQUIRE(at != std::string::npos);
  bytes.replace(at + 5, 4, big_endian(std::uint32_t{height} << 16 | width));
  return bytes;
}

}  // namespace

TEST_CASE("a grey JPEG has one channel") {
  const auto rows = ramp(50);
  const auto image = decoded(jpeg_file(recipe(5, 10, JCS_GRAYSCALE, JCS_GRAYSCALE), rows));
  CHECK(image.size == ImageSize{1, 5, 10});
  CHECK(largest_difference(image.pixels, rows) <= 2);
}

TEST_CASE("a JPEG in colour has its channels one after the other") {
  Pixels rows;
  for (int i = 0; i < 64; ++i) rows.insert(rows.end(), {200, 100, 50});
  Pixels planes(64, 200);
  planes.insert(planes.end(), 64, 100);
  planes.insert(planes.end(), 64, 50);
  for (const auto out : {JCS_YCbCr, JCS_RGB}) {
    for (const bool progressive : {false, true}) {
      auto made = recipe(8, 8, JCS_RGB, out);
      made.progressive = progressive;
      const auto image = decoded(jpeg_file(made, rows));
      CHECK(image.size == ImageSize{3, 8, 8});
      CHECK(largest_difference(image.pixels, planes) <= 2);
    }
  }
}

TEST_CASE("the orientation in a JPEG's EXIF is ignored") {
  auto bytes = jpeg_file(recipe(5, 10, JCS_GRAYSCALE, JCS_GRAYSCALE), ramp(50));
  const auto plain = decoded(bytes);
  const std::string exif("Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0",
                         32);
  bytes.insert(
      2, "\xFF\xE1" + big_endian(static_cast<std::uint32_t>(exif.size()) + 2).substr(2) + exif);
  CHECK(decoded(bytes).size == plain.size);
  CHECK(decoded(bytes).pixels == plain.pixels);
}

TEST_CASE("bytes behind a JPEG are passed over") {
  const auto bytes = jpeg_file(recipe(5, 10, JCS_GRAYSCALE, JCS_GRAYSCALE), ramp(50));
  CHECK(decoded(bytes + "tail").pixels == decoded(bytes).pixels);
}

TEST_CASE("a JPEG in CMYK is refused") {
  const auto expected = "a.jpg: JPEG in CMYK, the colours of printing; convert it to RGB";
  CHECK(error_of(jpeg_file(recipe(4, 4, JCS_CMYK, JCS_CMYK), ramp(64))) == expected);
  CHECK(error_of(jpeg_file(recipe(4, 4, JCS_CMYK, JCS_YCCK), ramp(64))) == expected);
}

TEST_CASE("a JPEG that is cut short at any place is refused") {
  for (const bool progressive : {false, true}) {
    auto made = recipe(20, 20, JCS_RGB, JCS_YCbCr);
    made.progressive = progressive;
    const auto bytes = jpeg_file(made, ramp(1200));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      INFO(size);
      const auto error = error_of(bytes.substr(0, size));
      CHECK_THAT(error, ContainsSubstring("a.jpg: broken JPEG ("));
      CHECK_THAT(error, ContainsSubstring("; replace the file or remove it"));
    }
  }
}

TEST_CASE("damaged data of a JPEG are refused, though libjpeg only warns") {
  auto bytes = jpeg_file(recipe(64, 64, JCS_GRAYSCALE, JCS_GRAYSCALE), ramp(4096));
  const auto scan = bytes.find("\xFF\xDA");
  bytes.insert(scan + 40, "\xFF\xD9");  // the end, in the middle
  CHECK_THAT(error_of(bytes), ContainsSubstring("a.jpg: broken JPEG (Corrupt JPEG data"));
  CHECK_THAT(error_of("\xFF\xD8\xFF\xD8"), ContainsSubstring("a.jpg: broken JPEG ("));
  CHECK_THAT(error_of("hello"), ContainsSubstring("Not a JPEG file"));
}

TEST_CASE("a JPEG that is too large is refused by its header") {
  const auto bytes = jpeg_file(recipe(5, 10, JCS_GRAYSCALE, JCS_GRAYSCALE), ramp(50));
  CHECK_THAT(error_of(with_size(bytes, 65'000, 65'000)),
             ContainsSubstring("an image of 65000 x 65000 pixels; sides of at most 16384"));
  CHECK_THAT(error_of(with_size(bytes, 16'000, 16'000)), ContainsSubstring("16000 x 16000"));
  CHECK_THAT(error_of(with_size(bytes, 8000, 8000)),
             ContainsSubstring("bytes cannot hold 8000 x 8000 pixels"));
}

TEST_CASE("a JPEG of one colour is read, however small it packs") {
  const Pixels rows(2000 * 2000, 128);
  auto made = recipe(2000, 2000, JCS_GRAYSCALE, JCS_GRAYSCALE);
  CHECK(decoded(jpeg_file(made, rows)).pixels == rows);
  made.progressive = true;
  CHECK(decoded(jpeg_file(made, rows)).pixels == rows);
}

TEST_CASE("arithmetic coding is refused") {
  auto made = recipe(8, 8, JCS_GRAYSCALE, JCS_GRAYSCALE);
  made.arithmetic = true;
  CHECK(error_of(jpeg_file(made, ramp(64))) ==
        "a.jpg: JPEG in arithmetic coding; save it as a baseline JPEG or a PNG");
}

TEST_CASE("a JPEG of two channels is refused") {
  auto made = recipe(8, 8, JCS_GRAYSCALE, JCS_GRAYSCALE);
  auto bytes = jpeg_file(made, ramp(64));
  const auto frame = bytes.find("\xFF\xC0");
  bytes[frame + 3] = 14;  // a component longer
  bytes[frame + 9] = 2;
  bytes.insert(frame + 13, std::string("\x02\x11\x00", 3));
  CHECK(error_of(bytes) == "a.jpg: JPEG of 2 channels; 1 (grey) and 3 (colour) are read");
}

TEST_CASE("12 bits a channel are refused") {
  auto bytes = jpeg_file(recipe(8, 8, JCS_GRAYSCALE, JCS_GRAYSCALE), ramp(64));
  const auto frame = bytes.find("\xFF\xC0");
  bytes[frame + 1] = '\xC1';
  bytes[frame + 4] = 12;
  const auto error = error_of(bytes);
  INFO(error);
  // libjpeg-turbo 3 knows them, and leaves it to us; earlier ones refuse them by themselves.
  CHECK((error == "a.jpg: JPEG of 12 bits a channel; 8 are read, so convert the image" ||
         error.find("a.jpg: broken JPEG (Unsupported JPEG data precision 12)") == 0));
}

TEST_CASE("a JPEG of very many scans is refused") {
  auto made = recipe(8, 8, JCS_GRAYSCALE, JCS_GRAYSCALE);
  made.scans = {{1, {0}, 0, 0, 0, 0}};
  for (int k = 1; k < 64; ++k) made.scans.push_back({1, {0}, k, k, 0, 1});
  CHECK(decoded(jpeg_file(made, ramp(64))).size == ImageSize{1, 8, 8});
  for (int k = 1; k < 64; ++k) made.scans.push_back({1, {0}, k, k, 1, 0});
  CHECK(error_of(jpeg_file(made, ramp(64))) ==
        "a.jpg: broken JPEG (more than 100 scans); replace the file or remove it");
}

}  // namespace zoo
