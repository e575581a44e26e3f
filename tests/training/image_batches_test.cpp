#include "training/image_batches.h"

#include <cmath>
#include <set>

#include <torch/types.h>

#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "training/epochs.h"

namespace zoo {
namespace {

/// Images of 1 x 2 x 2 whose pixels are their number, labels too.
ImageSplit numbered(int images) {
  ImageSplit split;
  split.name = "train";
  for (int i = 0; i < images; ++i) {
    split.pixels.insert(split.pixels.end(), 4, static_cast<std::uint8_t>(i));
    split.labels.push_back(i);
  }
  return split;
}

ImageRows rows_of(const ImageSplit& split) {
  return {split, {1, 2, 2}, {{0.0}, {1.0 / 255.0}}, torch::kCPU};
}

std::vector<std::int64_t> list(const torch::Tensor& tensor) {
  const auto* data = tensor.const_data_ptr<std::int64_t>();
  return {data, data + tensor.numel()};
}

TEST_CASE("epochs follow each other without a gap, so that every batch is full") {
  const auto parts = parts_of_batch(/*number=*/1, /*batch_size=*/7, /*rows=*/4);
  REQUIRE(parts.size() == 3);
  CHECK(parts[0].epoch == 1);
  CHECK(parts[0].first == 3);
  CHECK(parts[0].count == 1);
  CHECK(parts[1].epoch == 2);
  CHECK(parts[1].count == 4);
  CHECK(parts[2].epoch == 3);
  CHECK(parts[2].first == 0);
  CHECK(parts[2].count == 2);
}

TEST_CASE("each epoch has every image once, in an order of its own") {
  const auto split = numbered(10);
  ShuffledImages batches(rows_of(split), 4, /*seed=*/1, {});
  CHECK(batches.size() == 3);
  std::vector<std::int64_t> seen;
  for (int number = 0; number < 5; ++number) {
    const auto batch = batches.at(number);
    CHECK(batch.inputs.images.sizes().vec() == std::vector<std::int64_t>{4, 1, 2, 2});
    // An image comes with its own label.
    CHECK(largest_difference(batch.inputs.images.select(1, 0).select(1, 1).select(1, 1),
                             batch.targets) < 1e-4);
    for (const auto label : list(batch.targets)) seen.push_back(label);
  }
  const std::vector<std::int64_t> first(seen.begin(), seen.begin() + 10);
  const std::vector<std::int64_t> second(seen.begin() + 10, seen.begin() + 20);
  CHECK(std::set<std::int64_t>(first.begin(), first.end()).size() == 10);
  CHECK(std::set<std::int64_t>(second.begin(), second.end()).size() == 10);
  CHECK(first != second);
}

TEST_CASE("a batch is a function of its number, augmented too") {
  const auto split = numbered(10);
  AugmentationOptions augmentation;
  augmentation.shift = 0.5;
  ShuffledImages forwards(rows_of(split), 4, 3, augmentation);
  ShuffledImages alone(rows_of(split), 4, 3, augmentation);
  ShuffledImages other(rows_of(split), 4, 4, augmentation);
  for (int number = 0; number < 6; ++number) forwards.at(number);
  const auto again = forwards.at(2);
  CHECK(largest_difference(again.inputs.images, alone.at(2).inputs.images) == 0.0);
  CHECK(largest_difference(again.inputs.images, other.at(2).inputs.images) > 0.0);
}

TEST_CASE("evaluation sees every image once in the order of the split") {
  const auto split = numbered(10);
  OrderedImages batches(rows_of(split), 4);
  CHECK(batches.size() == 3);
  CHECK(list(batches.at(2).targets.contiguous()) == std::vector<std::int64_t>{8, 9});
  AugmentationOptions moved;
  moved.crop_padding = 1;
  OrderedImages once(rows_of(split), 4, moved);
  OrderedImages twice(rows_of(split), 4, moved);
  CHECK(largest_difference(once.at(1).inputs.images, twice.at(1).inputs.images) == 0.0);
}

TEST_CASE("on the CPU images stay where the split has them") {
  auto split = numbered(3);
  OrderedImages batches(rows_of(split), 3);
  split.pixels[5] = 200;
  CHECK(std::abs(batches.at(0).inputs.images[1][0][0][1].item<double>() - 200.0) < 1e-3);
}

}  // namespace
}  // namespace zoo
