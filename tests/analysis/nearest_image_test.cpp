#include "analysis/nearest_image.h"

#include <torch/types.h>

#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

TEST_CASE("the nearest image is the one of the least Euclidean distance, over all parts") {
  torch::manual_seed(1);
  // More known images than are compared at once.
  const auto known = torch::randint(256, {9000, 3, 4}, torch::kInt64).to(torch::kUInt8);
  const auto images = torch::randint(256, {40, 3, 4}, torch::kInt64).to(torch::kUInt8);
  const auto distances = (images.unsqueeze(1).to(torch::kInt64) - known.to(torch::kInt64))
                             .square()
                             .sum({2, 3});  // [40, 9000]
  const auto found = nearest_images(known, images);
  CHECK(largest_difference(distances.gather(1, found.unsqueeze(1)).squeeze(1),
                           std::get<0>(distances.min(1))) == 0.0);
  CHECK(largest_difference(nearest_images(known, known.narrow(0, 8500, 20)),
                           torch::arange(8500, 8520)) == 0.0);
}

TEST_CASE("of equally near images the first is taken") {
  const auto known = torch::tensor({10, 20, 10}, torch::kUInt8).view({3, 1});
  CHECK(
      nearest_images(known, torch::tensor({11}, torch::kUInt8).view({1, 1})).item<std::int64_t>() ==
      0);
}

}  // namespace
}  // namespace zoo
