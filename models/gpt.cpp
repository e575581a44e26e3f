#include "models/gpt.h"

#include <cmath>

#include <torch/nn/modules/linear.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {
namespace {

constexpr double kInitialDeviation = 0.02;

}  // namespace

void GptOptions::validate(const std::string& path) const {
  if (d_model % n_heads == 0) return;
  auto nearest = n_heads;
  while (d_model % nearest != 0) --nearest;
  throw ConfigError(text_of(path, ".n_heads: ", n_heads, " does not divide d_model ", d_model,
                            "; try ", nearest));
}

GptBlockImpl::GptBlockImpl(const GptOptions& options) : dropout_(options.dropout) {
  const auto C = options.d_model;
  attention_norm_ = register_module("attention_norm", Norm(options.norm, C, options.bias));
  attention_ = register_module("attention",
                               SelfAttention(C, options.n_heads, options.dropout, options.bias));
  feed_forward_norm_ = register_module("feed_forward_norm", Norm(options.norm, C, options.bias));
  feed_forward_ =
      register_module("feed_forward", FeedForward(C, options.d_ff.value_or(4 * C), options.bias));
}

torch::Tensor GptBlockImpl::forward(const torch::Tensor& x, const AttentionMask& mask,
                                    const torch::Tensor& real) {
  const auto drop = [this](const torch::Tensor& y) {
    return torch::dropout(y, dropout_, is_training());
  };
  const auto attended = x + drop(attention_(attention_norm_(x, real), mask));  // [B, T, C]
  return attended + drop(feed_forward_(feed_forward_norm_(attended, real)));   // [B, T, C]
}

void GptBlockImpl::initialise(std::int64_t n_layers) {
  const torch::NoGradGuard no_grad;
  const auto residual_deviation =
      kInitialDeviation / std::sqrt(2.0 * static_cast<double>(n_layers));
  for (const auto& module : modules(/*include_self=*/false)) {
    if (auto* linear = module->as<torch::nn::LinearImpl>()) {
      const bool residual = linear == attention_->residual_projection().get() ||
                            linear == feed_forward_->residual_projection().get();
      linear->weight.normal_(0.0, residual ? residual_deviation : kInitialDeviation);
      if (linear->bias.defined()) linear->bias.zero_();
    }
  }
}

GptImpl::GptImpl(const GptOptions& options, const DataFacts& facts) : options_(options) {
  const auto C = options.d_model;
  embedding_ = register_module("embedding", torch::nn::Embedding(facts.vocab_size, C));
  positions_ = register_module("positions", Positions(options.positions, options.block_size, C));
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    blocks_.push_back(register_module("block_" + std::to_string(layer), GptBlock(options)));
    blocks_.back()->initialise(options.n_layers);
  }
  norm_ = register_module("norm", Norm(options.norm, C, options.bias));

  const torch::NoGradGuard no_grad;
  embedding_->weight.normal_(0.0, kInitialDeviation);
  for (auto& table : positions_->parameters()) table.normal_(0.0, kInitialDeviation);
}

torch::Tensor GptImpl::forward(const Inputs& inputs) {
  expect_tokens("gpt", inputs, options_.block_size);

  // Padding on the right needs no mask: no real token can see what comes after it.
  torch::Tensor real;  // [B, T]
  AttentionMask mask{{}, /*causal=*/true};
  if (inputs.lengths.defined() && (inputs.left_padded || norm_->depends_on_padding())) {
    real = real_tokens(inputs);
    if (inputs.left_padded) mask.allowed = real.unsqueeze(1).unsqueeze(1);  // [B, 1, 1, T]
  }
  auto x = embedding_(inputs.tokens);  // [B, T, C]
  x = positions_(x, inputs.left_padded ? real : torch::Tensor());
  x = torch::dropout(x, options_.dropout, is_training());
  for (auto& block : blocks_) x = block(x, mask, real);      // [B, T, C]
  return torch::linear(norm_(x, real), embedding_->weight);  // [B, T, V]
}

Architecture gpt_architecture() {
  return make_architecture<GptOptions, GptImpl>(
      "gpt",
      "decoder-only transformer: causal self-attention, learned positions, tied output layer",
      {"language_model", "sequence_to_sequence"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        return {{{"block_size", 6}, {"d_model", 16}, {"n_heads", 2}, {"n_layers", 2}},
                facts,
                inputs,
                {batch, 5, 7}};
      });
}

}  // namespace zoo
