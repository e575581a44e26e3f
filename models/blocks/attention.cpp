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

}  // namespace

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

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& x, const AttentionMask& mask) {
  const auto qkv = qkv_(x);  // [B, T, 3C]
  const auto dropout = is_training() ? dropout_ : 0.0;
  const bool plain = tap_is_open() || dropout > 0.0 || mask.allowed.defined();
  if (!plain && attention_kernel_serves(qkv, n_heads_)) {
    return proj_(kernel_self_attention(qkv, n_heads_, mask.causal));  // [B, T, C]
  }

  const auto heads = qkv.unflatten(-1, {3, n_heads_, d_head_}).unbind(2);  // 3 of [B, T, H, D]
  const auto q = heads[0].transpose(1, 2);                                 // [B, H, T, D]
  const auto k = heads[1].transpose(1, 2);                                 // [B, H, T, D]
  const auto v = heads[2].transpose(1, 2);                                 // [B, H, T, D]
  torch::Tensor mixed;                                                     // [B, H, T, D]
  if (tap_is_open()) {
    const auto attended = explicit_attention(q, k, v, mask, dropout);
    tap("attention.weights", attended.weights);
    mixed = attended.output;
  } else {
    mixed = fused_attention(q, k, v, mask, dropout);
  }
  return proj_(mixed.transpose(1, 2).flatten(2));  // [B, T, C]
}

}  // namespace zoo
