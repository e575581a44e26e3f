#pragma once

#include <cstdint>

namespace zoo {

/// Sizes of self-attention over a batch: qkv [B, T, 3, H, D], output [B, T, H, D].
struct SelfAttentionSizes {
  std::int64_t B = 0, T = 0, H = 0, D = 0;
  bool causal = false;  ///< query i sees keys 0..i only
};

/// Floats between two rows of weights: T rounded up to whole vectors.
std::int64_t padded_keys(std::int64_t T);

/// softmax(Q K^T / sqrt(D)) V in every head, on all threads. D is a multiple of 8. Writes output,
/// and weights [B, H, T, padded_keys(T)] for the backward pass; a masked weight is 0.
void self_attention_forward(const SelfAttentionSizes& sizes, const float* qkv, float* output,
                            float* weights);

/// The gradient d_qkv [B, T, 3, H, D] from d_output [B, T, H, D] and the weights of the forward
/// pass.
void self_attention_backward(const SelfAttentionSizes& sizes, const float* qkv,
                             const float* weights, const float* d_output, float* d_qkv);

}  // namespace zoo
