#include "vision/formats/idx.h"

#include "tests/fuzz/fuzz_target.h"

namespace zoo {

void fuzz_one(std::string_view bytes) {
  const auto array = parse_idx(bytes, "FILE");
  expect(!array.sizes.empty() && array.sizes.size() <= 4, "1 to 4 dimensions");
  std::int64_t count = 1;
  for (const auto size : array.sizes) {
    expect(size >= 0, "no size is negative");
    count *= size;
  }
  expect(static_cast<std::int64_t>(array.values.size()) == count, "a byte a value");
  expect(bytes.ends_with(array.values), "values are the end of the file");
}

}  // namespace zoo
