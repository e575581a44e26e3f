#pragma once

#include <cstdint>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "core/options.h"

namespace zoo {

enum class PositionType { kLearned, kSinusoidal, kNone };
inline EnumNames<PositionType> names_of(PositionType) {
  return {{"learned", PositionType::kLearned},
          {"sinusoidal", PositionType::kSinusoidal},
          {"none", PositionType::kNone}};
}

/// PE[p, 2i] = sin(p / 10000^(2i/C)), PE[p, 2i+1] = cos(the same) (Vaswani et al., 2017) -> [T, C].
torch::Tensor sinusoidal_table(std::int64_t positions, std::int64_t channels);

/// Adds to each token where it stands.
class PositionsImpl : public torch::nn::Module {
 public:
  PositionsImpl(PositionType type, std::int64_t block_size, std::int64_t d_model);

  /// x [B, T, C], T <= block_size -> [B, T, C]. `real`, bool [B, T]: positions count real tokens
  /// only, so that left padding moves nothing; undefined: all are real.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& real = {});

 private:
  PositionType type_;
  torch::Tensor table_;  // [block_size, C]; a parameter when learned, else computed
};
TORCH_MODULE(Positions);

}  // namespace zoo
