#include "models/gpt.h"

#include <algorithm>

#include <torch/types.h>

#include "core/errors.h"
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

/// The keys and values of every layer, and of rows that will be read again, their tokens.
class GptDecoding : public Decoding {
 public:
  GptDecoding(GptImpl& model, const Inputs& inputs, FullBlock full_block)
      : model_(model),
        slides_(full_block == FullBlock::kSlide),
        caches_(model.blocks_.size(), KeyValueCache(model.options_.block_size)) {
    if (!inputs.tokens.defined() || inputs.tokens.size(1) == 0) return;
    expect_tokens("gpt", inputs, model.options_.block_size);
    const auto T = inputs.tokens.size(1);
    if (inputs.lengths.defined()) padding_ = T - inputs.lengths.unsqueeze(1);
    if (!slides_) tokens_ = inputs.tokens;
    read(inputs.tokens);
  }

  torch::Tensor step(const torch::Tensor& tokens) override {
    const auto column = tokens.unsqueeze(1);  // [B, 1]
    if (!slides_) tokens_ = tokens_.defined() ? torch::cat({tokens_, column}, 1) : column;
    if (!slides_ && length_ >= model_.options_.block_size) return reread();
    const auto x = read(column);  // [B, C]
    return torch::linear(model_.norm_ ? model_.norm_(x) : x, model_.embedding_->weight);
  }

  void select_rows(const torch::Tensor& rows) override {
    for (auto& cache : caches_) cache.select_rows(rows);
    for (auto* part : {&tokens_, &padding_}) {
      if (part->defined()) *part = part->index_select(0, rows);
    }
  }

 private:
  /// The next tokens [B, T] of each row -> what the last layer says of them [B, T, C], of a single
  /// one [B, C].
  torch::Tensor read(const torch::Tensor& tokens) {
    const auto T = tokens.size(1);
    const auto first = std::max<std::int64_t>(0, length_ + T - model_.options_.block_size);
    RowContext context;
    context.mask.causal = T > 1;
    auto places = torch::arange(length_, length_ + T, tokens.options()).unsqueeze(0);  // [1, T]
    if (padding_.defined()) {
      const auto kept = torch::arange(first, length_ + T, tokens.options()).unsqueeze(0);
      context.mask = mask_of(kept >= padding_, context.mask.causal);  // [B, 1, 1, S]
      places = (places - padding_).clamp_min(0);                      // [B, T]
    }
    length_ += T;
    auto& positions = model_.positions_;
    context.rotation = slides_ ? positions->rotation_beyond(places) : positions->rotation(places);
    auto x = positions(model_.embedding_(tokens), places);  // [B, T, C]
    if (T == 1) x = x.squeeze(1);
    for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
      const TapScope scope("layer", layer + 1);
      x = model_.blocks_[layer]->extend(x, context, caches_[layer]);
    }
    return x;
  }

  /// The last block_size tokens of each row as a text of their own -> logits [B, V].
  torch::Tensor reread() {
    const auto block = model_.options_.block_size;
    caches_.clear();
    ++length_;
    Inputs inputs;
    inputs.tokens = tokens_ = tokens_.narrow(1, tokens_.size(1) - block, block);
    if (padding_.defined()) {
      inputs.lengths = (length_ - padding_.squeeze(1)).clamp_max(block);
      inputs.left_padded = true;
    }
    const auto last = model_.represent(inputs).select(1, -1);  // [B, C]
    return torch::linear(last, model_.embedding_->weight);
  }

  GptImpl& model_;
  bool slides_;
  std::vector<KeyValueCache> caches_;
  std::int64_t length_ = 0;  // tokens of each row so far, its padding counted
  torch::Tensor padding_;    // [B, 1], on the left of each row; undefined: none
  torch::Tensor tokens_;     // [B, S], the last ones of each row
};

std::unique_ptr<Decoding> GptImpl::start(const Inputs& inputs, FullBlock full_block) {
  require<ConfigError>(full_block == FullBlock::kReread || positions_->relative(),
                       "gpt: text can slide past block_size only with model.positions rotary or "
                       "none, they are ",
                       name_of(options_.positions));
  return std::make_unique<GptDecoding>(*this, inputs, full_block);
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
