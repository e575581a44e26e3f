#pragma once

#include <cstdint>

#include <torch/types.h>

#include "models/blocks/key_value_cache.h"

namespace zoo {

// The kernels of kernels/ as differentiable functions. They stand in for plain operators where
// kernels_serve() says so, and give the same numbers up to rounding.

/// While one lives, its thread computes with plain operators alone.
class PlainOperators {
 public:
  PlainOperators();
  ~PlainOperators();
  PlainOperators(const PlainOperators&) = delete;
  PlainOperators& operator=(const PlainOperators&) = delete;
};

/// While one lives, kernels serve its thread although operators are watched: for a watch that only
/// takes the time.
class KernelsWhileWatched {
 public:
  KernelsWhileWatched();
  ~KernelsWhileWatched();
  KernelsWhileWatched(const KernelsWhileWatched&) = delete;
  KernelsWhileWatched& operator=(const KernelsWhileWatched&) = delete;
};

/// Whether a tensor may go through the kernels: float32 on the CPU, contiguous; and nobody is
/// tracing or watching operators, who would not see into them, or wants plain ones.
bool kernels_serve(const torch::Tensor& x);

/// Whether self-attention over qkv [B, T, 3 C] or [B, 3 C] has sizes that the kernel is good at.
bool attention_kernel_serves(const torch::Tensor& qkv, std::int64_t n_heads);

/// qkv [B, T, 3 C], q, k and v one after the other and each in n_heads parts -> [B, T, C].
torch::Tensor kernel_self_attention(const torch::Tensor& qkv, std::int64_t n_heads, bool causal);

/// One query of each row over the keys and values that are cached for it, itself the newest, whose
/// own are written to their last place: qkv [B, 3 C] -> [B, C]. No gradient.
torch::Tensor kernel_attention_step(const torch::Tensor& qkv, const KeyValues& cached);

/// GELU, exact, of x [...] -> [...].
torch::Tensor kernel_gelu(const torch::Tensor& x);

}  // namespace zoo
