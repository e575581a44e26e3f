#include "models/blocks/attention.h"

#include <cmath>
#include <limits>

#include <torch/types.h>

#include "models/blocks/kernel_functions.h"
#include "models/taps.h"

namespace zoo {
namespace {

/// bool [T, S]: key j <= query i. Counted from the tensors, so that tracing bakes no length.
torch::Tensor causal_mask(const torch::Tensor& query, const torch::Tensor& key) {
  const auto counted = [](const torch::Tensor& x) {
    return torch::ones_like(x.select(0, 0).select(0, 0).select(-1, 0)).cumsum(0);
  };
  return counted(key).unsqueeze(0) <= counted(query).unsqueeze(1);
}

/// The mask as one tensor; undefined when every query sees every key.
torch::Tensor combined(const AttentionMask& mask, const torch::Tensor& query,
                       const torch::Tensor& key) {
  if (!mask.causal) return mask.allowed;
  const auto causal = causal_mask(query, key);
  return mask.allowed.defined() ? mask.allowed.logical_and(causal) : causal;
}

/// Attention as it is computed in general, its weights reported to an open tap: -> [B, T, C].
torch::Tensor attended(const char* name, const torch::Tensor& query, const KeyValues& seen,
                       const AttentionMask& mask, double dropout) {
  torch::Tensor mixed;  // [B, H, T, D]
  if (tap_is_open()) {
    const auto explicitly = explicit_attention(query, seen.keys, seen.values, mask, dropout);
    tap(name, explicitly.weights);
    mixed = explicitly.output;
  } else {
    mixed = fused_attention(query, seen.keys, seen.values, mask, dropout);
  }
  return mixed.transpose(1, 2).flatten(2);  // [B, T, C]
}

/// x [B, T, N C], N projections one after the other -> N of [B, H, T, D].
std::vector<torch::Tensor> heads_of(const torch::Tensor& x, std::int64_t n_heads,
                                    std::int64_t d_head) {
  auto parts = x.unflatten(-1, {-1, n_heads, d_head}).unbind(2);  // N of [B, T, H, D]
  for (auto& part : parts) part = part.transpose(1, 2);
  return parts;
}

}  // namespace

AttentionMask mask_of(const torch::Tensor& real, bool causal) {
  return {real.defined() ? real.unsqueeze(1).unsqueeze(1) : real, causal};  // [B, 1, 1, S]
}

AttentionWithWeights explicit_attention(const torch::Tensor& query, const torch::Tensor& key,
                                        const torch::Tensor& value, const AttentionMask& mask,
                                        double dropout) {
  const auto scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
  auto scores = torch::matmul(query * scale, key.transpose(-2, -1));  // [B, H, T, S]
  const auto allowed = combined(mask, query, key);
  torch::Tensor weights;  // [B, H, T, S]
  if (allowed.defined()) {
    // The lowest finite score, not -inf: a fully masked row then has a softmax and a gradient, and
    // the second fill makes its weights zero.
    const auto masked = allowed.logical_not();
    scores = scores.masked_fill(masked, std::numeric_limits<float>::lowest());
    weights = scores.softmax(-1).masked_fill(masked, 0.0);
  } else {
    weights = scores.softmax(-1);
  }
  const auto kept = dropout > 0.0 ? torch::dropout(weights, dropout, /*train=*/true) : weights;
  return {torch::matmul(kept, value), weights};
}

torch::Tensor fused_attention(const torch::Tensor& query, const torch::Tensor& key,
                              const torch::Tensor& value, const AttentionMask& mask,
                              double dropout) {
  if (!mask.allowed.defined()) {
    return at::scaled_dot_product_attention(query, key, value, {}, dropout, mask.causal);
  }
  return at::scaled_dot_product_attention(query, key, value, combined(mask, query, key), dropout);
}

SelfAttentionImpl::SelfAttentionImpl(std::int64_t d_model, std::int64_t n_heads, double dropout,
                                     bool bias)
    : n_heads_(n_heads), d_head_(d_model / n_heads), dropout_(dropout) {
  namespace nn = torch::nn;
  qkv_ = register_module("qkv", nn::Linear(nn::LinearOptions(d_model, 3 * d_model).bias(bias)));
  proj_ = register_module("proj", nn::Linear(nn::LinearOptions(d_model, d_model).bias(bias)));
}

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                         const Rotation& rotation) {
  const auto qkv = qkv_(x);  // [B, T, 3C]
  const auto dropout = is_training() ? dropout_ : 0.0;
  const bool plain =
      tap_is_open() || dropout > 0.0 || mask.allowed.defined() || rotation.cosines.defined();
  if (!plain && attention_kernel_serves(qkv, n_heads_)) {
    return proj_(kernel_self_attention(qkv, n_heads_, mask.causal));  // [B, T, C]
  }
  const auto heads = heads_of(qkv, n_heads_, d_head_);  // q, k, v [B, H, T, D]
  const KeyValues seen{rotated(heads[1], rotation), heads[2]};
  return proj_(attended("attention.weights", rotated(heads[0], rotation), seen, mask, dropout));
}

torch::Tensor SelfAttentionImpl::extend(const torch::Tensor& x, const AttentionMask& mask,
                                        const Rotation& rotation, KeyValueCache& cache) {
  const bool one_token = x.dim() == 2;
  const auto qkv = qkv_(x);  // [B, T, 3C] or [B, 3C]
  const bool plain = tap_is_open() || mask.allowed.defined() || rotation.cosines.defined();
  if (one_token && !plain && attention_kernel_serves(qkv, n_heads_)) {
    const auto cached = cache.extend({x.size(0), n_heads_, 1, d_head_}, qkv.options());
    return proj_(kernel_attention_step(qkv, cached));  // [B, C]
  }
  const auto heads = heads_of(one_token ? qkv.unsqueeze(1) : qkv, n_heads_, d_head_);
  const auto seen = cache.append(rotated(heads[1], rotation), heads[2]);  // [B, H, S, D]
  const auto mixed = attended("attention.weights", rotated(heads[0], rotation), seen, mask, 0.0);
  return proj_(one_token ? mixed.squeeze(1) : mixed);
}

CrossAttentionImpl::CrossAttentionImpl(std::int64_t d_model, std::int64_t n_heads, double dropout,
                                       bool bias)
    : n_heads_(n_heads), d_head_(d_model / n_heads), dropout_(dropout) {
  namespace nn = torch::nn;
  q_ = register_module("q", nn::Linear(nn::LinearOptions(d_model, d_model).bias(bias)));
  kv_ = register_module("kv", nn::Linear(nn::LinearOptions(d_model, 2 * d_model).bias(bias)));
  proj_ = register_module("proj", nn::Linear(nn::LinearOptions(d_model, d_model).bias(bias)));
}

KeyValues CrossAttentionImpl::project(const torch::Tensor& memory) {
  const auto heads = heads_of(kv_(memory), n_heads_, d_head_);  // k, v [B, H, S, D]
  return {heads[0], heads[1]};
}

torch::Tensor CrossAttentionImpl::forward(const torch::Tensor& x, const KeyValues& memory,
                                          const AttentionMask& mask) {
  const auto query = heads_of(q_(x), n_heads_, d_head_)[0];  // [B, H, T, D]
  const auto dropout = is_training() ? dropout_ : 0.0;
  return proj_(attended("cross_attention.weights", query, memory, mask, dropout));
}

}  // namespace zoo
