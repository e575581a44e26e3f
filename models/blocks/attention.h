#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>

namespace zoo {

/// Which keys a query may attend to.
struct AttentionMask {
  torch::Tensor allowed;  ///< bool, broadcastable to [B, H, T, S]; undefined: all
  bool causal = false;    ///< query i sees keys 0..i only
};

/// What attention returns when its weights are wanted.
struct AttentionWithWeights {
  torch::Tensor output;   ///< [B, H, T, D_v]
  torch::Tensor weights;  ///< [B, H, T, S]; rows sum to 1, a fully masked row is all zeros
};

/// softmax(Q K^T / sqrt(D)) V (Vaswani et al., 2017, eq. 1), step by step.
/// query [B, H, T, D], key [B, H, S, D], value [B, H, S, D_v].
AttentionWithWeights explicit_attention(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const AttentionMask& mask,
                                        double dropout = 0.0);

/// The same output through LibTorch's fused scaled_dot_product_attention -> [B, H, T, D_v].
torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, const AttentionMask& mask,
                              double dropout = 0.0);

/// Multi-head self-attention: one Linear for q, k and v, attention in each head, one projection.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  /// n_heads divides d_model. `dropout` falls on the attention weights.
  SelfAttentionImpl(std::int64_t d_model, std::int64_t n_heads, double dropout, bool bias);

  /// x [B, T, C] -> [B, T, C]. Reports "attention.weights" [B, H, T, T] to an open tap.
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask);

  /// The projection back into the residual stream, for initialisation.
  torch::nn::Linear& residual_projection() { return proj_; }

 private:
  std::int64_t n_heads_, d_head_;
  double dropout_;
  torch::nn::Linear qkv_{nullptr};   // C -> 3C
  torch::nn::Linear proj_{nullptr};  // C -> C
};
TORCH_MODULE(SelfAttention);

}  // namespace zoo
