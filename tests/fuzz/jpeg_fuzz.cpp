#include "vision/formats/jpeg.h"

#include "tests/fuzz/fuzz_target.h"

namespace zoo {

void fuzz_one(std::string_view bytes) {
  const auto image = decode_jpeg(bytes, "FILE");
  expect(image.size.channels == 1 || image.size.channels == 3, "grey or colour");
  expect(static_cast<std::int64_t>(image.pixels.size()) == image.size.pixels(), "a byte a sample");
}

}  // namespace zoo
