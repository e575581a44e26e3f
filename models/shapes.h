#pragma once

#include <cstdint>
#include <initializer_list>

#include <torch/types.h>

#include "models/model.h"

namespace zoo {

/// Matches any size in expect_shape.
inline constexpr std::int64_t kAnySize = -1;

/// Throws ShapeError naming the consumer, the tensor, the shape it has and the one it must have.
void expect_shape(const char* consumer, const char* name, const torch::Tensor& tensor,
                  std::initializer_list<std::int64_t> sizes);

/// Checks inputs.tokens [B, T] with T <= block_size (0: any) and inputs.lengths [B]. Throws
/// ShapeError.
void expect_tokens(const char* consumer, const Inputs& inputs, std::int64_t block_size);

/// Which positions hold a real token rather than padding: bool [B, T]; inputs.lengths is defined.
torch::Tensor real_tokens(const Inputs& inputs);

}  // namespace zoo
