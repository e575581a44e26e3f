#include "models/gpt.h"

#include <torch/types.h>

#include "models/registry.h"
#include "models/shapes.h"
#include "models/taps.h"

namespace zoo {

GptImpl::GptImpl(const GptOptions& options, const DataFacts& facts) : options_(options) {
  const auto C = options.d_model;
  embedding_ = register_module("embedding", torch::nn::Embedding(facts.vocab_size, C));
  positions_ = register_module(
      "positions", Positions(options.positions, options.block_size, C, options.d_head()));
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    blocks_.push_back(register_module("block_" + std::to_string(layer), TransformerBlock(options)));
  }
  if (options.norm_place == NormPlace::kPre) {
    norm_ = register_module("norm", Norm(options.norm, C, options.bias));
  }
  initialise_transformer(*this, options.n_layers);
}

torch::Tensor GptImpl::represent(const Inputs& inputs) {
  expect_tokens("gpt", inputs, options_.block_size);

  // Padding on the right needs no mask: no real token can see what comes after it.
  RowContext context{{{}, /*causal=*/true}, {}, {}};
  if (inputs.lengths.defined() && (inputs.left_padded || options_.norm == NormType::kBatch)) {
    context.real = real_tokens(inputs);  // [B, T]
    if (inputs.left_padded) context.mask = mask_of(context.real, /*causal=*/true);
  }
  auto x = embedding_(inputs.tokens);  // [B, T, C]
  const auto places = places_of(x, inputs.left_padded ? context.real : torch::Tensor());
  context.rotation = positions_->rotation(places);
  x = torch::dropout(positions_(x, places), options_.dropout, is_training());
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    const TapScope scope("layer", layer + 1);
    x = blocks_[layer](x, context);  // [B, T, C]
  }
  return norm_ ? norm_(x, context.real) : x;  // [B, T, C]
}

torch::Tensor GptImpl::forward(const Inputs& inputs) {
  return torch::linear(represent(inputs), embedding_->weight);  // [B, T, V]
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
