#include "models/blocks/positions.h"

#include <cmath>

#include <torch/types.h>

namespace zoo {

torch::Tensor sinusoidal_table(std::int64_t positions, std::int64_t channels) {
  const auto options = torch::TensorOptions().dtype(torch::kFloat64);
  const auto position = torch::arange(positions, options).unsqueeze(1);  // [T, 1]
  const auto even = torch::arange(0, channels, 2, options);              // [C/2] = 2i
  const auto angle =
      position * torch::exp(even * (-std::log(10000.0) / static_cast<double>(channels)));
  const auto pairs = torch::stack({angle.sin(), angle.cos()}, /*dim=*/2).flatten(1);
  return pairs.narrow(1, 0, channels).to(torch::kFloat32);  // [T, C]
}

PositionsImpl::PositionsImpl(PositionType type, std::int64_t block_size, std::int64_t d_model)
    : type_(type) {
  if (type_ == PositionType::kLearned) {
    table_ = register_parameter("table", torch::randn({block_size, d_model}));
  } else if (type_ == PositionType::kSinusoidal) {
    table_ = register_buffer("table", sinusoidal_table(block_size, d_model));
  }
}

torch::Tensor PositionsImpl::forward(const torch::Tensor& x, const torch::Tensor& real) {
  if (type_ == PositionType::kNone) return x;
  // Counted rather than narrowed from the table, so that tracing bakes no length.
  const auto counted =
      real.defined()
          ? real.cumsum(1)                                                               // [B, T]
          : torch::ones_like(x.narrow(0, 0, 1).select(-1, 0), torch::kInt64).cumsum(1);  // [1, T]
  return x + torch::embedding(table_, (counted - 1).clamp_min(0));  // [B, T, C]
}

}  // namespace zoo
