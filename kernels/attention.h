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

/// Keys or values of B sequences in H heads: D floats a token, tokens one after the other.
struct CachedTokens {
  float* first;                ///< the first token of the first head
  std::int64_t between_heads;  ///< floats from one head's first token to the next one's; heads of a
                               ///< sequence lie one after the other, then come the next sequence's
};

/// The newest token of each sequence, out of `tokens` kept ones: writes its key and value, from qkv
/// [B, 3, H, D], to the last place of the cache, and output [B, H, D], what its query finds in all
/// of them. D is a multiple of 8. On all threads.
void self_attention_step(std::int64_t B, std::int64_t H, std::int64_t D, std::int64_t tokens,
                         const float* qkv, CachedTokens keys, CachedTokens values, float* output);

}  // namespace zoo
