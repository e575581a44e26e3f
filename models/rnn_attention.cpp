#include "models/rnn_attention.h"

#include <limits>

#include <ATen/record_function.h>
#include <torch/types.h>

#include "models/registry.h"
#include "models/shapes.h"
#include "models/taps.h"

namespace zoo {
namespace {

/// How many tokens each row [B, S, ...] has: [B].
torch::Tensor lengths_of(const torch::Tensor& rows, const torch::Tensor& lengths) {
  if (lengths.defined()) return lengths;
  return torch::ones_like(rows.dim() == 2 ? rows : rows.select(2, 0), torch::kInt64).sum(1);
}

}  // namespace

RnnAttentionImpl::RnnAttentionImpl(const RnnAttentionOptions& options, const DataFacts& facts)
    : options_(options) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  const auto H = options.d_hidden;
  const auto V_source = facts.source_vocab_size > 0 ? facts.source_vocab_size : facts.vocab_size;
  const auto cells = [&] {
    return Recurrence(options.cell, C, H, options.n_layers, options.dropout);
  };
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, C));
  source_embedding_ = register_module("source_embedding", nn::Embedding(V_source, C));
  forwards_ = register_module("forwards", cells());
  backwards_ = register_module("backwards", cells());
  bridge_ = register_module("bridge", nn::Linear(2 * H, H));
  decoder_ = register_module("decoder", cells());
  query_ = register_module("query", nn::Linear(H, H));
  key_ = register_module("key", nn::Linear(nn::LinearOptions(2 * H, H).bias(false)));
  score_ = register_module("score", nn::Linear(nn::LinearOptions(H, 1).bias(false)));
  combine_ = register_module("combine", nn::Linear(3 * H, H));
  head_ = register_module("head", nn::Linear(H, facts.vocab_size));
}

torch::Tensor RnnAttentionImpl::drop(const torch::Tensor& x) const {
  return torch::dropout(x, options_.dropout, is_training());
}

torch::Tensor RnnAttentionImpl::represent(const Inputs& inputs) {
  expect_source("rnn_attention", inputs, /*block_size=*/0);

  const auto lengths = lengths_of(inputs.source, inputs.source_lengths);  // [B]
  const auto x = drop(source_embedding_(inputs.source));                  // [B, S, C]
  RecurrentState left, right;
  const auto from_left = forwards_->forward(x, left);  // [B, S, H]
  const auto from_right = reversed_rows(backwards_->forward(reversed_rows(x, lengths), right),
                                        lengths);  // [B, S, H]
  return torch::cat({from_left, from_right}, -1);  // [B, S, 2H]
}

RecurrentMemory RnnAttentionImpl::remember(const torch::Tensor& states,
                                           const torch::Tensor& source_lengths,
                                           RecurrentState& state) {
  RecurrentMemory memory{states, key_(states), {}};
  const auto real = real_rows(states, source_lengths);
  if (real.defined()) memory.padding = real.logical_not();
  // Where a row ends from the left, and where it ends from the right: at its first token.
  const auto halves = states.chunk(2, -1);  // 2 of [B, S, H]
  const auto lengths = lengths_of(states, source_lengths);
  const auto last =
      (lengths - 1).clamp_min(0).view({-1, 1, 1}).expand_as(halves[0].narrow(1, 0, 1));
  const auto ends =
      torch::cat({halves[0].gather(1, last).squeeze(1), halves[1].select(1, 0)}, -1);  // [B, 2H]
  state.hidden = bridge_(ends).tanh().unsqueeze(0).expand({options_.n_layers, -1, -1}).contiguous();
  return memory;
}

torch::Tensor RnnAttentionImpl::attend(const torch::Tensor& queries,
                                       const RecurrentMemory& memory) {
  RECORD_USER_SCOPE("zoo::attention");
  const auto both = queries.unsqueeze(2) + memory.keys.unsqueeze(1);  // [B, T, S, H]
  auto scores = score_(both.tanh()).squeeze(-1);                      // [B, T, S]
  if (memory.padding.defined()) {
    scores = scores.masked_fill(memory.padding.unsqueeze(1), std::numeric_limits<float>::lowest());
  }
  const auto weights = scores.softmax(-1);  // [B, T, S]
  if (tap_is_open()) tap("cross_attention.weights", weights.unsqueeze(1));
  return torch::matmul(weights, memory.states);  // [B, T, 2H]
}

torch::Tensor RnnAttentionImpl::write(const torch::Tensor& tokens, const RecurrentMemory& memory,
                                      RecurrentState& state) {
  const auto states = decoder_->forward(drop(embedding_(tokens)), state);  // [B, T, H]
  const auto context = attend(query_(states), memory);                     // [B, T, 2H]
  const auto read = combine_(torch::cat({states, context}, -1)).tanh();    // [B, T, H]
  return head_(drop(read));                                                // [B, T, V]
}

torch::Tensor RnnAttentionImpl::forward(const Inputs& inputs) {
  expect_tokens("rnn_attention", inputs, /*block_size=*/0);

  return decode(inputs, represent(inputs));
}

torch::Tensor RnnAttentionImpl::decode(const Inputs& inputs, const torch::Tensor& memory) {
  RecurrentState state;
  const auto remembered = remember(memory, inputs.source_lengths, state);
  return write(inputs.tokens, remembered, state);
}

/// The memory, read once, and the decoder's state.
class RnnAttentionDecoding : public Decoding {
 public:
  RnnAttentionDecoding(RnnAttentionImpl& model, const Inputs& inputs)
      : model_(model),
        memory_(model.remember(model.represent(inputs), inputs.source_lengths, state_)) {}

  torch::Tensor step(const torch::Tensor& tokens) override {
    return model_.write(tokens.unsqueeze(1), memory_, state_).squeeze(1);  // [B, V]
  }

  void select_rows(const torch::Tensor& rows) override {
    state_.select_rows(rows);
    for (auto* part : {&memory_.states, &memory_.keys, &memory_.padding}) {
      if (part->defined()) *part = part->index_select(0, rows);
    }
  }

 private:
  RnnAttentionImpl& model_;
  RecurrentState state_;
  RecurrentMemory memory_;
};

std::unique_ptr<Decoding> RnnAttentionImpl::start(const Inputs& inputs, FullBlock /*full_block*/) {
  return std::make_unique<RnnAttentionDecoding>(*this, inputs);
}

Architecture rnn_attention_architecture() {
  auto row = make_architecture<RnnAttentionOptions, RnnAttentionImpl>(
      "rnn_attention", "recurrent encoder and decoder with additive attention to the source",
      {"sequence_to_sequence"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        inputs.source = torch::randint(7, {batch, 4}, torch::kInt64);
        return {{{"d_model", 8}, {"d_hidden", 16}}, facts, inputs, {batch, 5, 7}};
      });
  row.reads_source = true;
  return row;
}

}  // namespace zoo
