#include "models/blocks/transformer_block.h"

#include <cmath>

#include <torch/nn/modules/embedding.h>
#include <torch/utils.h>

#include "models/blocks/residual.h"

namespace zoo {
namespace {

constexpr double kInitialDeviation = 0.02;

/// The projection of a block's part that writes into the residual stream, or null.
torch::nn::LinearImpl* residual_projection(torch::nn::Module& module) {
  if (auto* attention = module.as<SelfAttentionImpl>())
    return attention->residual_projection().get();
  if (auto* attention = module.as<CrossAttentionImpl>())
    return attention->residual_projection().get();
  if (auto* network = module.as<FeedForwardImpl>()) return network->residual_projection().get();
  return nullptr;
}

}  // namespace

TransformerBlockImpl::TransformerBlockImpl(const BlockOptions& options)
    : norm_place_(options.norm_place), dropout_(options.dropout) {
  const auto C = options.d_model;
  attention_norm_ = register_module("attention_norm", Norm(options.norm, C, options.bias));
  attention_ = register_module("attention", SelfAttention(options.attention()));
  feed_forward_norm_ = register_module("feed_forward_norm", Norm(options.norm, C, options.bias));
  feed_forward_ = register_module(
      "feed_forward", FeedForward(options.feed_forward, C, options.hidden_units(), options.bias));
}

template <class Attend>
torch::Tensor TransformerBlockImpl::apply(const torch::Tensor& x, const torch::Tensor& real,
                                          Attend&& attend) {
  const Residual residual{norm_place_, is_training() ? dropout_ : 0.0};
  const auto attended = residual(x, attention_norm_, real, attend);  // [B, T, C]
  return residual(attended, feed_forward_norm_, real,
                  [&](const torch::Tensor& y) { return feed_forward_(y); });  // [B, T, C]
}

torch::Tensor TransformerBlockImpl::forward(const torch::Tensor& x, const RowContext& context) {
  return apply(x, context.real, [&](const torch::Tensor& y) {
    return attention_(y, context.mask, context.rotation);
  });
}

torch::Tensor TransformerBlockImpl::extend(const torch::Tensor& x, const RowContext& context,
                                           KeyValueCache& cache) {
  return apply(x, context.real, [&](const torch::Tensor& y) {
    return attention_->extend(y, context.mask, context.rotation, cache);
  });
}

void initialise_transformer(torch::nn::Module& model, std::int64_t n_layers) {
  const torch::NoGradGuard no_grad;
  for (const auto& module : model.modules(/*include_self=*/false)) {
    if (auto* linear = module->as<torch::nn::LinearImpl>()) {
      linear->weight.normal_(0.0, kInitialDeviation);
      if (linear->bias.defined()) linear->bias.zero_();
    } else if (auto* embedding = module->as<torch::nn::EmbeddingImpl>()) {
      embedding->weight.normal_(0.0, kInitialDeviation);
    } else if (auto* positions = module->as<PositionsImpl>()) {
      for (auto& table : positions->parameters()) table.normal_(0.0, kInitialDeviation);
    }
  }
  for (const auto& module : model.modules(/*include_self=*/false)) {
    if (auto* projection = residual_projection(*module)) {
      projection->weight.div_(std::sqrt(2.0 * static_cast<double>(n_layers)));
    }
  }
}

}  // namespace zoo
