#include "tests/support/torch_checks.h"

namespace zoo {

double largest_difference(const torch::Tensor& actual, const torch::Tensor& expected) {
  REQUIRE(actual.defined());
  REQUIRE(expected.defined());
  REQUIRE(actual.numel() > 0);
  REQUIRE(actual.sizes().vec() == expected.sizes().vec());
  const auto difference =
      (actual.to(torch::kCPU, torch::kFloat64) - expected.to(torch::kCPU, torch::kFloat64)).abs();
  REQUIRE(difference.isfinite().all().item<bool>());
  return difference.max().item<double>();
}

Inputs row_of(const Inputs& inputs, std::int64_t row) {
  auto one = inputs;
  if (one.tokens.defined()) one.tokens = one.tokens.narrow(0, row, 1);
  if (one.lengths.defined()) one.lengths = one.lengths.narrow(0, row, 1);
  return one;
}

Inputs on_device(const Inputs& inputs, torch::Device device) {
  auto moved = inputs;
  if (moved.tokens.defined()) moved.tokens = moved.tokens.to(device);
  if (moved.lengths.defined()) moved.lengths = moved.lengths.to(device);
  return moved;
}

}  // namespace zoo
