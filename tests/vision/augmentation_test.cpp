#include "vision/augmentation.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/types.h>

#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

torch::Tensor drawn(const torch::Tensor& images, const AugmentationOptions& options,
                    std::uint64_t seed = 1) {
  return augmented(images, options, at::make_generator<at::CPUGeneratorImpl>(seed));
}

/// Images with different pixels everywhere, none of them black: [B, 2, 6, 9].
torch::Tensor numbered(std::int64_t batch) {
  return torch::arange(1, batch * 2 * 6 * 9 + 1, torch::kFloat32).view({batch, 2, 6, 9});
}

TEST_CASE("without options images stay as they are") {
  const auto images = numbered(3);
  CHECK(!AugmentationOptions().any());
  CHECK(largest_difference(drawn(images, {}), images) == 0.0);
}

TEST_CASE("a flip mirrors whole images, about every other one") {
  AugmentationOptions options;
  options.flip = true;
  const auto images = numbered(200);
  const auto changed = drawn(images, options);
  std::int64_t mirrored = 0;
  for (std::int64_t i = 0; i < 200; ++i) {
    const bool same = largest_difference(changed[i], images[i]) < 0.05;
    const bool turned = largest_difference(changed[i], images[i].flip(2)) < 0.05;
    CHECK(same != turned);
    mirrored += turned ? 1 : 0;
  }
  CHECK(mirrored > 70);
  CHECK(mirrored < 130);
}

TEST_CASE("a crop moves images by whole pixels, each place as likely, black from outside") {
  AugmentationOptions options;
  options.crop_padding = 1;
  const auto images = numbered(900);
  const auto changed = drawn(images, options);
  const auto padded = torch::constant_pad_nd(images, {1, 1, 1, 1});
  std::vector<int> places(9, 0);
  for (std::int64_t i = 0; i < 900; ++i) {
    int found = 0;
    for (std::int64_t place = 0; place < 9; ++place) {
      const auto moved = padded[i].narrow(1, place / 3, 6).narrow(2, place % 3, 9);
      if (largest_difference(changed[i], moved) > 0.5) continue;
      ++found;
      ++places[static_cast<std::size_t>(place)];
    }
    REQUIRE(found == 1);
  }
  for (const auto count : places) {
    CHECK(count > 60);
    CHECK(count < 145);
  }
}

TEST_CASE("rotation keeps the middle and the shape of images that are not square") {
  // A horizontal line through the middle of a wide image, turned by any angle up to 90 degrees,
  // is as long as before where it fits.
  AugmentationOptions options;
  options.rotation = 30;
  auto images = torch::zeros({50, 1, 21, 41});
  images.select(2, 10).narrow(2, 12, 17).fill_(100.0);
  const auto changed = drawn(images, options);
  CHECK(changed.select(2, 10).select(2, 20).gt(50.0).all().item<bool>());
  const auto light = changed.sum({1, 2, 3});
  CHECK(largest_difference(light, torch::full({50}, 1700.0)) < 170.0);
}

TEST_CASE("scale and shift stay within their bounds") {
  AugmentationOptions options;
  options.scale = 0.2;
  auto images = torch::zeros({200, 1, 32, 32});
  images.narrow(2, 11, 10).narrow(3, 11, 10).fill_(1.0);
  const auto sizes = drawn(images, options).sum({1, 2, 3});
  CHECK(sizes.min().item<double>() > 100 * 0.8 * 0.8 - 3);
  CHECK(sizes.max().item<double>() < 100 * 1.2 * 1.2 + 3);
  CHECK(sizes.min().item<double>() < 70);
  CHECK(sizes.max().item<double>() > 138);

  AugmentationOptions moved;
  moved.shift = 3;
  const auto columns = drawn(images, moved).sum({1, 2});  // [B, W]
  const auto middle = (columns * torch::arange(32)).sum(1) / columns.sum(1);
  CHECK((middle - 15.5).abs().max().item<double>() <= 3.01);
  CHECK((middle - 15.5).abs().max().item<double>() > 2.5);
}

TEST_CASE("cutout blackens one square that may reach over the edge") {
  AugmentationOptions options;
  options.cutout = 3;
  const auto changed = drawn(torch::ones({300, 2, 6, 9}), options);
  const auto black = changed.eq(0.0);
  CHECK(torch::equal(black.select(1, 0), black.select(1, 1)));
  const auto count = black.select(1, 0).sum({1, 2});
  CHECK(count.max().item<std::int64_t>() == 9);
  CHECK(count.min().item<std::int64_t>() >= 4);
  CHECK(black.select(1, 0).any(0).all().item<bool>());
}

TEST_CASE("the same seed draws the same, another one something else") {
  AugmentationOptions options;
  options.rotation = 20;
  options.shift = 1;
  const auto images = numbered(4);
  CHECK(largest_difference(drawn(images, options, 7), drawn(images, options, 7)) == 0.0);
  CHECK(largest_difference(drawn(images, options, 7), drawn(images, options, 8)) > 1.0);
}

}  // namespace
}  // namespace zoo
