#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>

namespace zoo {

/// Position-wise feed-forward network: Linear C -> F, GELU (exact), Linear F -> C.
class FeedForwardImpl : public torch::nn::Module {
 public:
  FeedForwardImpl(std::int64_t d_model, std::int64_t d_ff, bool bias);

  /// x [..., C] -> [..., C].
  torch::Tensor forward(const torch::Tensor& x);

  /// The projection back into the residual stream, for initialisation.
  torch::nn::Linear& residual_projection() { return down_; }

 private:
  torch::nn::Linear up_{nullptr};    // C -> F
  torch::nn::Linear down_{nullptr};  // F -> C
};
TORCH_MODULE(FeedForward);

}  // namespace zoo
