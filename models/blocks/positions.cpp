#include "models/blocks/positions.h"

#include <cmath>

#include <torch/types.h>

namespace zoo {
namespace {

constexpr double kBase = 10000.0;

/// p / 10000^(2i/C) for places [...] and every pair of channels -> [..., ceil(C/2)] float64.
torch::Tensor angles_at(const torch::Tensor& places, std::int64_t channels) {
  const auto options = places.options().dtype(torch::kFloat64);
  const auto even = torch::arange(0, channels, 2, options);  // [C/2] = 2i
  return places.to(torch::kFloat64).unsqueeze(-1) *
         torch::exp(even * (-std::log(kBase) / static_cast<double>(channels)));
}

/// The same for the first positions -> [T, ceil(C/2)] float64.
torch::Tensor angles(std::int64_t positions, std::int64_t channels) {
  return angles_at(torch::arange(positions), channels);
}

/// Of angles [..., T, D/2], for both halves of the channels.
Rotation rotation_by(const torch::Tensor& angles) {
  const auto both = torch::cat({angles, angles}, -1);  // [..., T, D]
  return {both.cos().to(torch::kFloat32), both.sin().to(torch::kFloat32)};
}

}  // namespace

torch::Tensor sinusoidal_table(std::int64_t positions, std::int64_t channels) {
  const auto angle = angles(positions, channels);
  const auto pairs = torch::stack({angle.sin(), angle.cos()}, /*dim=*/2).flatten(1);
  return pairs.narrow(1, 0, channels).to(torch::kFloat32);  // [T, C]
}

torch::Tensor places_of(const torch::Tensor& x, const torch::Tensor& real) {
  // Counted rather than made from sizes, so that tracing bakes no length.
  const auto counted =
      real.defined()
          ? real.cumsum(1)                                                               // [B, T]
          : torch::ones_like(x.narrow(0, 0, 1).select(-1, 0), torch::kInt64).cumsum(1);  // [1, T]
  return (counted - 1).clamp_min(0);
}

torch::Tensor rotated(const torch::Tensor& x, const Rotation& rotation) {
  if (!rotation.cosines.defined()) return x;
  const auto halves = x.chunk(2, -1);  // 2 of [B, H, T, D/2]
  const auto turned = torch::cat({-halves[1], halves[0]}, -1);
  return x * rotation.cosines + turned * rotation.sines;  // [B, H, T, D]
}

PositionsImpl::PositionsImpl(PositionType type, std::int64_t block_size, std::int64_t d_model,
                             std::int64_t d_head)
    : type_(type) {
  if (type_ == PositionType::kLearned) {
    table_ = register_parameter("table", torch::randn({block_size, d_model}));
  } else if (type_ == PositionType::kSinusoidal) {
    table_ = register_buffer("table", sinusoidal_table(block_size, d_model));
  } else if (type_ == PositionType::kRotary) {
    const auto rotation = rotation_by(angles(block_size, d_head));
    cosines_ = register_buffer("cosines", rotation.cosines);
    sines_ = register_buffer("sines", rotation.sines);
  }
}

torch::Tensor PositionsImpl::forward(const torch::Tensor& x, const torch::Tensor& places) {
  return table_.defined() ? x + torch::embedding(table_, places) : x;  // [B, T, C]
}

Rotation PositionsImpl::rotation(const torch::Tensor& places) const {
  if (type_ != PositionType::kRotary) return {};
  return {torch::embedding(cosines_, places).unsqueeze(1),
          torch::embedding(sines_, places).unsqueeze(1)};  // [B or 1, 1, T, D]
}

Rotation PositionsImpl::rotation_beyond(const torch::Tensor& places) const {
  if (type_ != PositionType::kRotary) return {};
  return rotation_by(angles_at(places, cosines_.size(1)).unsqueeze(1));  // [B or 1, 1, T, D]
}

}  // namespace zoo
