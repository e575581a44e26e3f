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

namespace {

/// The inputs with every tensor that there is changed.
template <class Change>
Inputs changed(Inputs inputs, Change&& change) {
  for (auto* tensor : {&inputs.tokens, &inputs.lengths, &inputs.segments, &inputs.source,
                       &inputs.source_lengths}) {
    if (tensor->defined()) *tensor = change(*tensor);
  }
  return inputs;
}

}  // namespace

Inputs row_of(const Inputs& inputs, std::int64_t row) {
  return changed(inputs, [&](const torch::Tensor& tensor) { return tensor.narrow(0, row, 1); });
}

Inputs on_device(const Inputs& inputs, torch::Device device) {
  return changed(inputs, [&](const torch::Tensor& tensor) { return tensor.to(device); });
}

}  // namespace zoo
