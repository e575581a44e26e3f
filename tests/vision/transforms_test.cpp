#include "vision/transforms.h"

#include <cmath>

#include <torch/types.h>

#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "vision/pixel_statistics.h"

namespace zoo {
namespace {

TEST_CASE("shrinking averages over all pixels that fall into one") {
  Image image{{1, 4, 4}, std::vector<std::uint8_t>(16, 0)};
  for (std::size_t i = 0; i < 16; ++i) image.pixels[i] = i % 2 == 0 ? 200 : 100;
  const auto small = resized(image, 2, 2);
  CHECK(small.size == ImageSize{1, 2, 2});
  for (const auto pixel : small.pixels) {
    CHECK(pixel >= 135);
    CHECK(pixel <= 165);
  }
  const auto flat = resized({{3, 5, 7}, std::vector<std::uint8_t>(105, 77)}, 3, 11);
  CHECK(flat.size == ImageSize{3, 3, 11});
  for (const auto pixel : flat.pixels) CHECK(pixel == 77);
}

TEST_CASE("an image of the right size is not touched") {
  const Image image{{1, 2, 3}, {1, 2, 3, 4, 5, 6}};
  CHECK(resized(image, 2, 3).pixels == image.pixels);
  CHECK(with_channels(image, 1).pixels == image.pixels);
}

TEST_CASE("grey is the luma of colours, colour is grey three times") {
  const Image colour{{3, 1, 2}, {255, 0, 0, 255, 0, 0}};  // red, green
  const auto grey = with_channels(colour, 1);
  CHECK(grey.size == ImageSize{1, 1, 2});
  CHECK(grey.pixels == std::vector<std::uint8_t>{76, 150});
  CHECK(with_channels({{1, 1, 2}, {9, 8}}, 3).pixels ==
        std::vector<std::uint8_t>{9, 8, 9, 8, 9, 8});
}

TEST_CASE(
    "statistics are those of each channel, and normalised images have mean 0 and deviation 1") {
  ImageSplit split;
  split.labels = {0, 0};
  split.pixels = {0, 255, 10, 10, 255, 0, 10, 10};  // two images of 2 channels, 1 x 2
  const auto statistics = pixel_statistics(split, {2, 1, 2});
  CHECK(std::abs(statistics.mean[0] - 0.5) < 1e-12);
  CHECK(std::abs(statistics.deviation[0] - 0.5) < 1e-12);
  CHECK(std::abs(statistics.mean[1] - 10.0 / 255.0) < 1e-12);
  CHECK(statistics.deviation[1] == 1.0);  // never changes
  const auto images =
      torch::tensor({0, 255, 10, 10, 255, 0, 10, 10}, torch::kUInt8).view({2, 2, 1, 2});
  const auto normalized = Normalization(statistics, torch::kCPU)(images);
  const auto expected =
      torch::tensor({-1.0F, 1.0F, 0.0F, 0.0F, 1.0F, -1.0F, 0.0F, 0.0F}).view({2, 2, 1, 2});
  CHECK(largest_difference(normalized, expected) < 1e-6);
}

}  // namespace
}  // namespace zoo
