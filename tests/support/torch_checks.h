#pragma once

#include <vector>

#include <torch/types.h>

#include "models/model.h"
#include "tests/support/catch.h"

namespace zoo {

/// The largest absolute difference. Fails the test for tensors that are empty, not finite or of
/// different shapes, so that no comparison passes by comparing nothing.
double largest_difference(const torch::Tensor& actual, const torch::Tensor& expected);

/// The tensors of inputs that there are, in a fixed order.
std::vector<torch::Tensor*> tensors_of(Inputs& inputs);

/// The row of a batch as a batch of its own.
Inputs row_of(const Inputs& inputs, std::int64_t row);

/// The inputs on another device.
Inputs on_device(const Inputs& inputs, torch::Device device);

}  // namespace zoo
