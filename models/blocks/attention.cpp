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
torch::Tensor attended(const char* name, const AttentionOptions& options, torch::Tensor query,
                       const KeyValues& seen, const AttentionMask& mask, double dropout) {
  // Attention divides by sqrt(D).
  if (!options.scaled) query = query * std::sqrt(static_cast<double>(query.size(-1)));
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
std::vector<torch::Tensor> heads_of(const torch::Tensor& x, const AttentionOptions& options) {
  const auto d_head = options.d_model / options.n_heads;
  auto parts = x.unflatten(-1, {-1, options.n_heads, d_head}).unbind(2);  // N of [B, T, H, D]
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

SelfAttentionImpl::SelfAttentionImpl(const AttentionOptions& options) : options_(options) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  qkv_ = register_module("qkv", nn::Linear(nn::LinearOptions(C, 3 * C).bias(options.bias)));
  proj_ = register_module("proj", nn::Linear(nn::LinearOptions(C, C).bias(options.bias)));
}

torch::Tensor SelfAttentionImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                         const Rotation& rotation) {
  const auto qkv = qkv_(x);  // [B, T, 3C]
  const auto dropout = is_training() ? options_.dropout : 0.0;
  if (dropout == 0.0 && kernel_serves(qkv, mask, rotation)) {
    return proj_(kernel_self_attention(qkv, options_.n_heads, mask.causal));  // [B, T, C]
  }
  const auto heads = heads_of(qkv, options_);  // q, k, v [B, H, T, D]
  const KeyValues seen{rotated(heads[1], rotation), heads[2]};
  return proj_(
      attended("attention.weights", options_, rotated(heads[0], rotation), seen, mask, dropout));
}

torch::Tensor SelfAttentionImpl::extend(const torch::Tensor& x, const AttentionMask& mask,
                                        const Rotation& rotation, KeyValueCache& cache) {
  const bool one_token = x.dim() == 2;
  const auto qkv = qkv_(x);  // [B, T, 3C] or [B, 3C]
  if (one_token && kernel_serves(qkv, mask, rotation)) {
    const auto d_head = options_.d_model / options_.n_heads;
    const auto cached = cache.extend({x.size(0), options_.n_heads, 1, d_head}, qkv.options());
    return proj_(kernel_attention_step(qkv, cached));  // [B, C]
  }
  const auto heads = heads_of(one_token ? qkv.unsqueeze(1) : qkv, options_);
  const auto seen = cache.append(rotated(heads[1], rotation), heads[2]);  // [B, H, S, D]
  const auto mixed =
      attended("attention.weights", options_, rotated(heads[0], rotation), seen, mask, 0.0);
  return proj_(one_token ? mixed.squeeze(1) : mixed);
}

bool SelfAttentionImpl::kernel_serves(const torch::Tensor& qkv, const AttentionMask& mask,
                                      const Rotation& rotation) const {
  return options_.scaled && !tap_is_open() && !mask.allowed.defined() &&
         !rotation.cosines.defined() && attention_kernel_serves(qkv, options_.n_heads);
}

CrossAttentionImpl::CrossAttentionImpl(const AttentionOptions& options) : options_(options) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  q_ = register_module("q", nn::Linear(nn::LinearOptions(C, C).bias(options.bias)));
  kv_ = register_module("kv", nn::Linear(nn::LinearOptions(C, 2 * C).bias(options.bias)));
  proj_ = register_module("proj", nn::Linear(nn::LinearOptions(C, C).bias(options.bias)));
}

KeyValues CrossAttentionImpl::project(const torch::Tensor& memory) {
  const auto heads = heads_of(kv_(memory), options_);  // k, v [B, H, S, D]
  return {heads[0], heads[1]};
}

torch::Tensor CrossAttentionImpl::forward(const torch::Tensor& x, const KeyValues& memory,
                                          const AttentionMask& mask) {
  const auto query = heads_of(q_(x), options_)[0];  // [B, H, T, D]
  const auto dropout = is_training() ? options_.dropout : 0.0;
  return proj_(attended("cross_attention.weights", options_, query, memory, mask, dropout));
}

}  // namespace zoo
