#include "vision/formats/png.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Pixels = std::vector<std::uint8_t>;

Image decoded(const std::string& bytes) { return decode_png(bytes, "a.png"); }

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { decoded(bytes); });
}

PngRecipe recipe(std::uint32_t height, std::uint32_t width, int bits, int colour_type) {
  PngRecipe made;
  made.height = height;
  made.width = width;
  made.bits = bits;
  made.colour_type = colour_type;
  return made;
}

/// The bytes count up, so that every pixel is another.
Pixels counting(std::size_t size) {
  Pixels pixels;
  for (std::size_t i = 0; i < size; ++i) pixels.push_back(static_cast<std::uint8_t>(7 * i));
  return pixels;
}

}  // namespace

TEST_CASE("a grey PNG has one channel") {
  const auto rows = counting(6);
  const auto image = decoded(png_file(recipe(2, 3, 8, PNG_COLOR_TYPE_GRAY), rows));
  CHECK(image.size == ImageSize{1, 2, 3});
  CHECK(image.pixels == rows);
}

TEST_CASE("a PNG in colour has its channels one after the other") {
  const auto image = decoded(png_file(recipe(1, 2, 8, PNG_COLOR_TYPE_RGB), {1, 2, 3, 4, 5, 6}));
  CHECK(image.size == ImageSize{3, 1, 2});
  CHECK(image.pixels == Pixels{1, 4, 2, 5, 3, 6});
}

TEST_CASE("grey of fewer bits is spread over all brightnesses") {
  const auto grey = [](int bits, std::uint32_t width, Pixels rows) {
    return decoded(png_file(recipe(1, width, bits, PNG_COLOR_TYPE_GRAY), std::move(rows))).pixels;
  };
  CHECK(grey(1, 3, {0b10100000}) == Pixels{255, 0, 255});
  CHECK(grey(2, 4, {0b00011011}) == Pixels{0, 85, 170, 255});
  CHECK(grey(4, 2, {0x1F}) == Pixels{17, 255});
}

TEST_CASE("a palette is looked up, whatever its colours are") {
  auto made = recipe(1, 3, 8, PNG_COLOR_TYPE_PALETTE);
  made.palette = {{1, 2, 3}, {9, 9, 9}};
  const auto image = decoded(png_file(made, {0, 1, 0}));
  CHECK(image.size == ImageSize{3, 1, 3});
  CHECK(image.pixels == Pixels{1, 9, 1, 2, 9, 2, 3, 9, 3});
  made.bits = 1;
  CHECK(decoded(png_file(made, {0b01000000})).pixels == image.pixels);
  made.palette_alpha = {0, 255};
  CHECK(decoded(png_file(made, {0b01000000})).pixels ==
        Pixels{255, 9, 255, 255, 9, 255, 255, 9, 255});
}

TEST_CASE("what is transparent lies over white") {
  const auto grey = decoded(
      png_file(recipe(1, 4, 8, PNG_COLOR_TYPE_GRAY_ALPHA), {10, 255, 10, 0, 0, 128, 255, 77}));
  CHECK(grey.size == ImageSize{1, 1, 4});
  CHECK(grey.pixels == Pixels{10, 255, 127, 255});
  const auto colour =
      decoded(png_file(recipe(1, 2, 8, PNG_COLOR_TYPE_RGB_ALPHA), {1, 2, 3, 255, 1, 2, 3, 0}));
  CHECK(colour.size == ImageSize{3, 1, 2});
  CHECK(colour.pixels == Pixels{1, 255, 2, 255, 3, 255});
  auto one_value = recipe(1, 2, 8, PNG_COLOR_TYPE_GRAY);
  one_value.transparent_grey = {5};
  CHECK(decoded(png_file(one_value, {5, 6})).pixels == Pixels{255, 6});
}

TEST_CASE("an interlaced PNG gives the same image") {
  for (const int colour_type : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB}) {
    auto made = recipe(9, 11, 8, colour_type);
    const auto rows = counting(colour_type == PNG_COLOR_TYPE_RGB ? 9 * 11 * 3 : 9 * 11);
    const auto plain = decoded(png_file(made, rows));
    made.interlaced = true;
    CHECK(decoded(png_file(made, rows)).pixels == plain.pixels);
  }
}

TEST_CASE("gamma is ignored") {
  auto made = recipe(1, 3, 8, PNG_COLOR_TYPE_GRAY);
  made.gamma = 1.0;
  CHECK(decoded(png_file(made, {1, 100, 200})).pixels == Pixels{1, 100, 200});
}

TEST_CASE("what a PNG says beside its pixels is passed over, broken or not") {
  auto bytes = png_file(recipe(1, 1, 8, PNG_COLOR_TYPE_GRAY), {7});
  for (const std::string type : {"iCCP", "pHYs", "tEXt", "eXIf", "zzZz"}) {
    bytes.insert(png_header(1, 1).size(), png_chunk(type, "x"));
  }
  CHECK(decoded(bytes).pixels == Pixels{7});
}

TEST_CASE("bytes behind a PNG are passed over") {
  const auto bytes = png_file(recipe(1, 1, 8, PNG_COLOR_TYPE_GRAY), {7});
  CHECK(decoded(bytes + "tail").pixels == Pixels{7});
}

TEST_CASE("16 bits a channel are refused") {
  CHECK(error_of(png_file(recipe(1, 1, 16, PNG_COLOR_TYPE_GRAY), {1, 2})) ==
        "a.png: PNG of 16 bits a channel; 8 are read, so convert the image");
}

TEST_CASE("an animated PNG is refused") {
  auto bytes = png_file(recipe(1, 1, 8, PNG_COLOR_TYPE_GRAY), {1});
  bytes.insert(png_header(1, 1).size(), png_chunk("acTL", big_endian(2) + big_endian(0)));
  CHECK(error_of(bytes) == "a.png: animated PNG; save one of its images, or remove it");
}

TEST_CASE("a PNG that is cut short at any place is refused") {
  auto made = recipe(5, 4, 8, PNG_COLOR_TYPE_RGB);
  for (const bool interlaced : {false, true}) {
    made.interlaced = interlaced;
    const auto bytes = png_file(made, counting(60));
    for (std::size_t size = kPngSignature.size(); size < bytes.size(); ++size) {
      INFO(size);
      CHECK(error_of(bytes.substr(0, size)) ==
            text_of("a.png: PNG cut short after ", size, " bytes; replace the file or remove it"));
    }
    CHECK_THAT(error_of(bytes.substr(0, 7)), ContainsSubstring("a.png: no PNG"));
  }
}

TEST_CASE("a PNG with a changed byte is refused") {
  const auto bytes = png_file(recipe(5, 4, 8, PNG_COLOR_TYPE_RGB), counting(60));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x21);
    INFO(at);
    CHECK_THAT(error_of(changed), ContainsSubstring("a.png: "));
  }
}

TEST_CASE("a PNG whose data end early is refused, though its checksums are right") {
  const auto whole = png_file(recipe(2, 2, 8, PNG_COLOR_TYPE_GRAY), {1, 2, 3, 4});
  const auto header = png_header(3, 2);  // a row more than there is
  const auto bytes = header + whole.substr(header.size());
  CHECK_THAT(error_of(bytes), ContainsSubstring("a.png: broken PNG ("));
}

TEST_CASE("a PNG without a header is refused") {
  const auto bytes = std::string(kPngSignature) + png_chunk("IDAT", "x") + png_chunk("IEND", "");
  CHECK_THAT(error_of(bytes), ContainsSubstring("broken PNG: it does not begin with its header"));
}

TEST_CASE("a PNG that is too large is refused by its header alone") {
  CHECK(error_of(png_header(100'000, 100'000)) ==
        "a.png: an image of 100000 x 100000 pixels; sides of at most 16384 and 67108864 pixels are "
        "read, so make it smaller first");
  CHECK_THAT(error_of(png_header(1, 16'385)), ContainsSubstring("1 x 16385 pixels"));
  CHECK_THAT(error_of(png_header(16'384, 4097)), ContainsSubstring("16384 x 4097 pixels"));
  CHECK_THAT(error_of(png_header(16'384, 4096)), ContainsSubstring("cut short"));
  CHECK_THAT(error_of(png_header(0, 5)), ContainsSubstring("0 x 5 pixels; it needs one"));
}

TEST_CASE("a PNG with more pixels than its data can hold is refused before it is decoded") {
  const auto bytes = png_header(8000, 8000, 2) + png_chunk("IDAT", "xxxx") + png_chunk("IEND", "");
  CHECK(error_of(bytes) ==
        "a.png: broken PNG: 4 bytes of data cannot hold 8000 x 8000 pixels; replace the file or "
        "remove it");
}

TEST_CASE("a PNG of one colour packs as tightly as deflate can, and is read") {
  const auto rows = Pixels(4000 * 4000, 0);
  CHECK(decoded(png_file(recipe(4000, 4000, 8, PNG_COLOR_TYPE_GRAY), rows)).pixels == rows);
}

TEST_CASE("images are written as PNG files that hold them") {
  const Image grey{{1, 2, 3}, counting(6)}, colour{{3, 4, 5}, counting(60)};
  for (const auto& image : {grey, colour}) {
    const auto again = decoded(encode_png(image));
    CHECK(again.size == image.size);
    CHECK(again.pixels == image.pixels);
  }
}

TEST_CASE("what is no image of one or three channels is not written") {
  CHECK_THAT(message_of<ShapeError>([] { encode_png({{2, 1, 1}, {1, 2}}); }),
             ContainsSubstring("2 pixels for 2 x 1 x 1"));
  CHECK_THAT(message_of<ShapeError>([] { encode_png({{1, 2, 2}, {1, 2}}); }),
             ContainsSubstring("expected 1 or 3 channels"));
  CHECK_THAT(message_of<ShapeError>([] { encode_png({{1, 0, 2}, {}}); }),
             ContainsSubstring("expected 1 or 3 channels"));
}

}  // namespace zoo
