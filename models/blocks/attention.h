#pragma once

#include <cstdint>

#include <torch/nn/modules/linear.h>

#include "models/blocks/key_value_cache.h"
#include "models/blocks/positions.h"

namespace zoo {

/// Which keys a query may attend to.
struct AttentionMask {
  torch::Tensor allowed;  ///< bool, broadcastable to [B, H, T, S]; undefined: all
  bool causal = false;    ///< query i sees keys 0..i only
};

/// The mask of rows whose padding no query may see: real, bool [B, S], or undefined: all are real.
AttentionMask mask_of(const torch::Tensor& real, bool causal);

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

/// What a layer of attention can be told.
struct AttentionOptions {
  std::int64_t d_model = 64;
  std::int64_t n_heads = 4;  ///< divides d_model
  double dropout = 0.0;      ///< on the attention weights
  bool bias = true;
  bool scaled = true;  ///< scores are divided by sqrt(D)
};

/// Multi-head self-attention: one Linear for q, k and v, attention in each head, one projection.
class SelfAttentionImpl : public torch::nn::Module {
 public:
  explicit SelfAttentionImpl(const AttentionOptions& options);

  /// x [B, T, C] -> [B, T, C]. Reports "attention.weights" [B, H, T, T] to an open tap.
  torch::Tensor forward(const torch::Tensor& x, const AttentionMask& mask,
                        const Rotation& rotation = {});

  /// More tokens of each row, in evaluation: x [B, T, C] -> [B, T, C], or of one token, which is
  /// faster, [B, C] -> [B, C]. They see what is cached, and are added to it. The mask is over all
  /// tokens that are then cached, the rotation that of the new ones.
  torch::Tensor extend(const torch::Tensor& x, const AttentionMask& mask, const Rotation& rotation,
                       KeyValueCache& cache);

  /// The projection back into the residual stream, for initialisation.
  torch::nn::Linear& residual_projection() { return proj_; }

 private:
  bool kernel_serves(const torch::Tensor& qkv, const AttentionMask& mask,
                     const Rotation& rotation) const;

  AttentionOptions options_;
  torch::nn::Linear qkv_{nullptr};   // C -> 3C
  torch::nn::Linear proj_{nullptr};  // C -> C
};
TORCH_MODULE(SelfAttention);

/// Multi-head attention from one sequence to another: queries of x, keys and values of a memory.
class CrossAttentionImpl : public torch::nn::Module {
 public:
  explicit CrossAttentionImpl(const AttentionOptions& options);

  /// What queries of any length attend to: memory [B, S, C] -> keys and values.
  KeyValues project(const torch::Tensor& memory);

  /// x [B, T, C], mask over the S tokens of the memory -> [B, T, C]. Reports
  /// "cross_attention.weights" [B, H, T, S] to an open tap.
  torch::Tensor forward(const torch::Tensor& x, const KeyValues& memory, const AttentionMask& mask);

  /// The projection back into the residual stream, for initialisation.
  torch::nn::Linear& residual_projection() { return proj_; }

 private:
  AttentionOptions options_;
  torch::nn::Linear q_{nullptr};     // C -> C
  torch::nn::Linear kv_{nullptr};    // C -> 2C
  torch::nn::Linear proj_{nullptr};  // C -> C
};
TORCH_MODULE(CrossAttention);

}  // namespace zoo
