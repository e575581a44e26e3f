#include "vision/formats/png.h"

#include "core/errors.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/image_files.h"
#include "vision/formats/image_file.h"

namespace zoo {
namespace {

/// The chunks with checksums that are right, as far as they are whole.
std::string with_checksums(std::string_view bytes) {
  auto rest = bytes.substr(std::min(bytes.size(), kPngSignature.size()));
  std::string mended(bytes.substr(0, bytes.size() - rest.size()));
  while (rest.size() >= 12) {
    std::size_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(rest[i]);
    if (length > rest.size() - 12) break;
    mended += png_chunk(std::string(rest.substr(4, 4)), std::string(rest.substr(8, length)));
    rest.remove_prefix(length + 12);
  }
  return mended.append(rest);
}

}  // namespace

/// A byte that says whether checksums are mended, then a file.
void fuzz_one(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::string file(bytes.substr(1));
  const auto image = decode_image(bytes.front() % 2 == 0 ? file : with_checksums(file), "FILE");
  expect(image.size.channels == 1 || image.size.channels == 3, "grey or colour");
  expect(static_cast<std::int64_t>(image.pixels.size()) == image.size.pixels(), "a byte a sample");
  if (image.size.pixels() > 10'000) return;
  const auto again = decode_png(encode_png(image), "AGAIN");
  expect(again.size == image.size && again.pixels == image.pixels, "written and read, the same");
}

}  // namespace zoo
