#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>

#include "core/options.h"

namespace zoo {

enum class FeedForwardType { kGelu, kSwiglu };
inline EnumNames<FeedForwardType> names_of(FeedForwardType) {
  return {{"gelu", FeedForwardType::kGelu}, {"swiglu", FeedForwardType::kSwiglu}};
}

/// Position-wise feed-forward network.
///
/// gelu: Linear C -> F, GELU (exact), Linear F -> C.
/// swiglu (Shazeer, 2020): Linear C -> 2F, the first half through SiLU times the second, Linear
/// F -> C.
class FeedForwardImpl : public torch::nn::Module {
 public:
  FeedForwardImpl(FeedForwardType type, std::int64_t d_model, std::int64_t d_ff, bool bias);

  /// x [..., C] -> [..., C].
  torch::Tensor forward(const torch::Tensor& x);

  /// The projection back into the residual stream, for initialisation.
  torch::nn::Linear& residual_projection() { return down_; }

 private:
  FeedForwardType type_;
  torch::nn::Linear up_{nullptr};    // C -> F or 2F
  torch::nn::Linear down_{nullptr};  // F -> C
};
TORCH_MODULE(FeedForward);

}  // namespace zoo
