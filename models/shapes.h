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

/// Checks inputs.source [B, S] with S <= block_size (0: any) and inputs.source_lengths [B]. Throws
/// ShapeError.
void expect_source(const char* consumer, const Inputs& inputs, std::int64_t block_size);

/// Checks that rows of `length` tokens have room for one more. Throws ShapeError.
void expect_step(const char* consumer, std::int64_t length, std::int64_t block_size);

/// Which positions hold a real token rather than padding: bool [B, T]; inputs.lengths is defined.
torch::Tensor real_tokens(const Inputs& inputs);

/// The same of any rows [B, T, ...] padded on the right, by their lengths [B]: bool [B, T];
/// undefined where `lengths` is.
torch::Tensor real_rows(const torch::Tensor& rows, const torch::Tensor& lengths);

/// The same of the source: bool [B, S]; undefined where nothing is padding.
torch::Tensor real_source(const Inputs& inputs);

/// x [B, T, ...] with every row moved to its start, where its real tokens are the last
/// `lengths` [B]; and back. What is moved out at one end comes in at the other.
torch::Tensor moved_to_start(const torch::Tensor& x, const torch::Tensor& lengths);
torch::Tensor moved_to_end(const torch::Tensor& x, const torch::Tensor& lengths);

/// x [B, T, ...] padded on the right, with the real tokens of each row in reverse order; its own
/// inverse at real positions.
torch::Tensor reversed_rows(const torch::Tensor& x, const torch::Tensor& lengths);

/// What stands at the last real token of each row: x [B, T, C] -> [B, C].
torch::Tensor last_real(const torch::Tensor& x, const Inputs& inputs);

}  // namespace zoo
