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

std::vector<torch::Tensor*> tensors_of(Inputs& inputs) {
  std::vector<torch::Tensor*> there;
  for (auto& [name, tensor] : inputs.tensors()) {
    if (tensor->defined()) there.push_back(tensor);
  }
  return there;
}

Inputs row_of(const Inputs& inputs, std::int64_t row) {
  auto alone = inputs;
  for (auto* tensor : tensors_of(alone)) *tensor = tensor->narrow(0, row, 1);
  return alone;
}

Inputs on_device(const Inputs& inputs, torch::Device device) {
  auto moved = inputs;
  for (auto* tensor : tensors_of(moved)) *tensor = tensor->to(device);
  return moved;
}

}  // namespace zoo
