#include "models/encoder_decoder.h"

#include <cmath>

#include <torch/types.h>
#include <torch/utils.h>

#include "models/blocks/residual.h"
#include "models/registry.h"
#include "models/shapes.h"
#include "models/taps.h"

namespace zoo {

DecoderBlockImpl::DecoderBlockImpl(const EncoderDecoderOptions& options)
    : norm_place_(options.norm_place), dropout_(options.dropout) {
  const auto C = options.d_model;
  const auto norm = [&] { return Norm(options.norm, C, options.bias); };
  attention_norm_ = register_module("attention_norm", norm());
  attention_ = register_module("attention", SelfAttention(options.attention()));
  cross_attention_norm_ = register_module("cross_attention_norm", norm());
  cross_attention_ = register_module("cross_attention", CrossAttention(options.attention()));
  feed_forward_norm_ = register_module("feed_forward_norm", norm());
  feed_forward_ = register_module(
      "feed_forward", FeedForward(options.feed_forward, C, options.hidden_units(), options.bias));
}

template <class SelfAttend>
torch::Tensor DecoderBlockImpl::attend(const torch::Tensor& x, const torch::Tensor& real,
                                       const KeyValues& memory, const AttentionMask& source,
                                       SelfAttend&& self_attend) {
  const Residual residual{norm_place_, is_training() ? dropout_ : 0.0};
  auto y = residual(x, attention_norm_, real, self_attend);  // [B, T, C]
  y = residual(y, cross_attention_norm_, real, [&](const torch::Tensor& query) {
    return cross_attention_(query, memory, source);
  });  // [B, T, C]
  return residual(y, feed_forward_norm_, real,
                  [&](const torch::Tensor& z) { return feed_forward_(z); });  // [B, T, C]
}

torch::Tensor DecoderBlockImpl::forward(const torch::Tensor& x, const RowContext& context,
                                        const torch::Tensor& memory, const AttentionMask& source) {
  return attend(x, context.real, project(memory), source, [&](const torch::Tensor& y) {
    return attention_(y, context.mask, context.rotation);
  });
}

torch::Tensor DecoderBlockImpl::step(const torch::Tensor& x, const Rotation& rotation,
                                     KeyValueCache& cache, const KeyValues& memory,
                                     const AttentionMask& source) {
  return attend(x, {}, memory, source,
                [&](const torch::Tensor& y) { return attention_->extend(y, {}, rotation, cache); });
}

EncoderDecoderImpl::EncoderDecoderImpl(const EncoderDecoderOptions& options, const DataFacts& facts)
    : options_(options) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  const auto own_vocabulary = facts.source_vocab_size > 0;
  const auto V_source = own_vocabulary ? facts.source_vocab_size : facts.vocab_size;
  const auto positions = [&] {
    return Positions(options.positions, options.block_size, C, options.d_head());
  };
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, C));
  if (own_vocabulary || !options.share_embeddings) {
    source_embedding_ = register_module("source_embedding", nn::Embedding(V_source, C));
  }
  positions_ = register_module("positions", positions());
  source_positions_ = register_module("source_positions", positions());
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    const auto number = std::to_string(layer);
    encoder_.push_back(register_module("encoder_" + number, TransformerBlock(options)));
    decoder_.push_back(register_module("decoder_" + number, DecoderBlock(options)));
  }
  if (options.norm_place == NormPlace::kPre) {
    encoder_norm_ = register_module("encoder_norm", Norm(options.norm, C, options.bias));
    decoder_norm_ = register_module("decoder_norm", Norm(options.norm, C, options.bias));
  }
  if (!options.tie_output) {
    output_ =
        register_module("output", nn::Linear(nn::LinearOptions(C, facts.vocab_size).bias(false)));
  }
  initialise_transformer(*this, options.n_layers);
}

torch::Tensor EncoderDecoderImpl::embed(torch::nn::Embedding& embedding, Positions& positions,
                                        const torch::Tensor& tokens, const torch::Tensor& places) {
  const auto scale = std::sqrt(static_cast<double>(options_.d_model));
  const auto x = positions(embedding(tokens) * scale, places);  // [B, T, C]
  return torch::dropout(x, options_.dropout, is_training());
}

torch::Tensor EncoderDecoderImpl::logits(const torch::Tensor& x) {
  return output_ ? output_(x) : torch::linear(x, embedding_->weight);  // [B, T, V]
}

torch::Tensor EncoderDecoderImpl::represent(const Inputs& inputs) {
  expect_source("encoder_decoder", inputs, options_.block_size);

  RowContext context;
  context.real = real_source(inputs);  // [B, S]
  context.mask = mask_of(context.real, /*causal=*/false);
  const auto places = places_of(inputs.source.unsqueeze(-1));
  context.rotation = source_positions_->rotation(places);
  auto& embedding = source_embedding_ ? source_embedding_ : embedding_;
  auto x = embed(embedding, source_positions_, inputs.source, places);  // [B, S, C]
  for (std::size_t layer = 0; layer < encoder_.size(); ++layer) {
    const TapScope scope("encoder layer", layer + 1);
    x = encoder_[layer](x, context);  // [B, S, C]
  }
  return encoder_norm_ ? encoder_norm_(x, context.real) : x;
}

torch::Tensor EncoderDecoderImpl::decode(const Inputs& inputs, const torch::Tensor& memory) {
  expect_tokens("encoder_decoder", inputs, options_.block_size);

  // Padding on the right needs no mask: no real token can see what comes after it.
  RowContext context{{{}, /*causal=*/true}, {}, {}};
  if (inputs.lengths.defined()) context.real = real_tokens(inputs);  // [B, T]
  const auto source = mask_of(real_rows(memory, inputs.source_lengths), /*causal=*/false);
  const auto places = places_of(inputs.tokens.unsqueeze(-1));
  context.rotation = positions_->rotation(places);
  auto x = embed(embedding_, positions_, inputs.tokens, places);  // [B, T, C]
  for (std::size_t layer = 0; layer < decoder_.size(); ++layer) {
    const TapScope scope("decoder layer", layer + 1);
    x = decoder_[layer](x, context, memory, source);  // [B, T, C]
  }
  return logits(decoder_norm_ ? decoder_norm_(x, context.real) : x);
}

torch::Tensor EncoderDecoderImpl::forward(const Inputs& inputs) {
  return decode(inputs, represent(inputs));  // [B, T, V]
}

/// The memory's keys and values of every layer, made once, and those of the tokens so far.
class EncoderDecoderDecoding : public Decoding {
 public:
  EncoderDecoderDecoding(EncoderDecoderImpl& model, const Inputs& inputs)
      : model_(model), source_(mask_of(real_source(inputs), /*causal=*/false)) {
    const auto memory = model.represent(inputs);  // [B, S, C]
    for (auto& block : model.decoder_) memory_.push_back(block->project(memory));
    caches_.resize(memory_.size());
  }

  torch::Tensor step(const torch::Tensor& tokens) override {
    expect_step("encoder_decoder", length_, model_.options_.block_size);
    const auto places = torch::full({1, 1}, length_++, tokens.options());
    const auto rotation = model_.positions_->rotation(places);
    auto x = model_.embed(model_.embedding_, model_.positions_, tokens.unsqueeze(1), places);
    for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
      auto& block = model_.decoder_[layer];
      x = block->step(x, rotation, caches_[layer], memory_[layer], source_);  // [B, 1, C]
    }
    if (model_.decoder_norm_) x = model_.decoder_norm_(x);
    return model_.logits(x).squeeze(1);  // [B, V]
  }

  void select_rows(const torch::Tensor& rows) override {
    for (std::size_t layer = 0; layer < caches_.size(); ++layer) {
      memory_[layer].select_rows(rows);
      caches_[layer].select_rows(rows);
    }
    if (source_.allowed.defined()) source_.allowed = source_.allowed.index_select(0, rows);
  }

 private:
  EncoderDecoderImpl& model_;
  AttentionMask source_;
  std::vector<KeyValues> memory_;
  std::vector<KeyValueCache> caches_;
  std::int64_t length_ = 0;
};

std::unique_ptr<Decoding> EncoderDecoderImpl::start(const Inputs& inputs,
                                                    FullBlock /*full_block*/) {
  return std::make_unique<EncoderDecoderDecoding>(*this, inputs);
}

Architecture encoder_decoder_architecture() {
  auto row = make_architecture<EncoderDecoderOptions, EncoderDecoderImpl>(
      "encoder_decoder", "transformer that reads a source and writes its target: cross-attention",
      {"sequence_to_sequence"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        inputs.source = torch::randint(7, {batch, 4}, torch::kInt64);
        return {{{"block_size", 6}, {"d_model", 16}, {"n_heads", 2}, {"n_layers", 2}},
                facts,
                inputs,
                {batch, 5, 7}};
      });
  row.reads_source = true;
  return row;
}

}  // namespace zoo
