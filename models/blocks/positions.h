#pragma once

#include <cstdint>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "core/options.h"

namespace zoo {

enum class PositionType { kLearned, kSinusoidal, kRotary, kNone };
inline EnumNames<PositionType> names_of(PositionType) {
  return {{"learned", PositionType::kLearned},
          {"sinusoidal", PositionType::kSinusoidal},
          {"rotary", PositionType::kRotary},
          {"none", PositionType::kNone}};
}

/// PE[p, 2i] = sin(p / 10000^(2i/C)), PE[p, 2i+1] = cos(the same) (Vaswani et al., 2017) -> [T, C].
torch::Tensor sinusoidal_table(std::int64_t positions, std::int64_t channels);

/// Where each token of x [B, T, C] stands, from 0: int64 [B, T], or [1, T] where all rows are
/// alike. `real`, bool [B, T]: only real tokens are counted, so that left padding moves nothing;
/// undefined: all are real.
torch::Tensor places_of(const torch::Tensor& x, const torch::Tensor& real = {});

/// What rotary positions turn queries and keys by; undefined: not at all.
struct Rotation {
  torch::Tensor cosines;  ///< [B or 1, 1, T, D]
  torch::Tensor sines;    ///< [B or 1, 1, T, D]
};

/// Rotary positions (Su et al., 2021): turns channel i together with channel i + D/2, as Llama
/// does: x [B, H, T, D] -> [B, H, T, D].
torch::Tensor rotated(const torch::Tensor& x, const Rotation& rotation);

/// Tells tokens where they stand: learned and sinusoidal positions are added to them, rotary ones
/// turn the queries and keys of every attention layer.
class PositionsImpl : public torch::nn::Module {
 public:
  /// `d_head`: channels of one attention head.
  PositionsImpl(PositionType type, std::int64_t block_size, std::int64_t d_model,
                std::int64_t d_head);

  /// x [B, T, C], places [B or 1, T] below block_size -> [B, T, C].
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& places);

  /// For the attention layers; undefined unless rotary.
  Rotation rotation(const torch::Tensor& places) const;
  /// The same at any place, beyond block_size too.
  Rotation rotation_beyond(const torch::Tensor& places) const;

  /// Whether it matters only how far apart tokens stand, not where.
  bool relative() const { return type_ == PositionType::kRotary || type_ == PositionType::kNone; }

 private:
  PositionType type_;
  torch::Tensor table_;            // [block_size, C]; a parameter when learned, else computed
  torch::Tensor cosines_, sines_;  // [block_size, D]
};
TORCH_MODULE(Positions);

}  // namespace zoo
