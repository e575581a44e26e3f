#include "models/bert.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "models/registry.h"
#include "models/shapes.h"
#include "models/taps.h"

namespace zoo {

MaskedTokenHeadImpl::MaskedTokenHeadImpl(const BertOptions& options, std::int64_t vocab_size) {
  const auto C = options.d_model;
  transform_ = register_module("transform", torch::nn::Linear(C, C));
  norm_ = register_module("norm", Norm(options.norm, C, options.bias));
  bias_ = register_parameter("bias", torch::zeros({vocab_size}));
}

torch::Tensor MaskedTokenHeadImpl::forward(const torch::Tensor& x, const torch::Tensor& embedding) {
  return torch::linear(norm_(torch::gelu(transform_(x))), embedding, bias_);  // [B, T, V]
}

BertImpl::BertImpl(const BertOptions& options, const DataFacts& facts) : options_(options) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, C));
  segments_ = register_module("segments", nn::Embedding(options.segments, C));
  positions_ = register_module(
      "positions", Positions(options.positions, options.block_size, C, options.d_head()));
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    blocks_.push_back(register_module("block_" + std::to_string(layer), TransformerBlock(options)));
  }
  norm_ = register_module("norm", Norm(options.norm, C, options.bias));
  if (facts.classes == 0) {
    masked_token_head_ =
        register_module("masked_token_head", MaskedTokenHead(options, facts.vocab_size));
  } else {
    pooler_ = register_module("pooler", nn::Linear(C, C));
    classifier_ = register_module("classifier", nn::Linear(C, facts.classes));
  }
  initialise_transformer(*this, options.n_layers);
}

torch::Tensor BertImpl::embed(const Inputs& inputs, const torch::Tensor& places) {
  const auto segments =
      inputs.segments.defined() ? inputs.segments : torch::zeros_like(inputs.tokens);
  return positions_(embedding_(inputs.tokens) + segments_(segments), places);  // [B, T, C]
}

torch::Tensor BertImpl::represent(const Inputs& inputs) {
  expect_tokens("bert", inputs, options_.block_size);

  RowContext context;
  if (inputs.lengths.defined()) context.real = real_tokens(inputs);  // [B, T]
  context.mask = mask_of(context.real, /*causal=*/false);
  const auto places =
      places_of(inputs.tokens.unsqueeze(-1), inputs.left_padded ? context.real : torch::Tensor());
  context.rotation = positions_->rotation(places);

  const bool norm_first = options_.norm_place == NormPlace::kPost;
  auto x = embed(inputs, places);  // [B, T, C]
  if (norm_first) x = norm_(x, context.real);
  x = torch::dropout(x, options_.dropout, is_training());
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    const TapScope scope("layer", layer + 1);
    x = blocks_[layer](x, context);  // [B, T, C]
  }
  return norm_first ? x : norm_(x, context.real);
}

torch::Tensor BertImpl::forward(const Inputs& inputs) {
  const auto x = represent(inputs);                                             // [B, T, C]
  if (masked_token_head_) return masked_token_head_(x, embedding_->weight);     // [B, T, V]
  const auto pooled = pooler_(x.select(1, 0)).tanh();                           // [B, C]
  return classifier_(torch::dropout(pooled, options_.dropout, is_training()));  // [B, K]
}

Architecture bert_architecture() {
  auto row = make_architecture<BertOptions, BertImpl>(
      "bert", "encoder: every token sees every other; finds hidden tokens, or tells texts apart",
      {"masked_language_model", "text_classification"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        inputs.segments = torch::randint(2, {batch, 5}, torch::kInt64);
        return {{{"block_size", 8}, {"d_model", 16}, {"n_heads", 2}, {"n_layers", 2}},
                facts,
                inputs,
                {batch, 5, 7}};
      });
  row.causal = false;
  return row;
}

}  // namespace zoo
