#include "models/rnn.h"

#include <torch/types.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {

RnnImpl::RnnImpl(const RnnOptions& options, const DataFacts& facts)
    : options_(options), classifies_(facts.classes > 0) {
  namespace nn = torch::nn;
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, options.d_model));
  recurrence_ =
      register_module("recurrence", Recurrence(options.cell, options.d_model, options.d_hidden,
                                               options.n_layers, options.dropout));
  const auto answers = classifies_ ? facts.classes : facts.vocab_size;
  head_ = register_module("head", nn::Linear(options.d_hidden, answers));
}

torch::Tensor RnnImpl::represent(const Inputs& inputs) {
  expect_tokens("rnn", inputs, /*block_size=*/0);

  // Padding in front would change the state that the first token meets.
  const bool move = inputs.lengths.defined() && inputs.left_padded;
  const auto tokens = move ? moved_to_start(inputs.tokens, inputs.lengths) : inputs.tokens;
  const auto drop = [this](const torch::Tensor& x) {
    return torch::dropout(x, options_.dropout, is_training());
  };
  RecurrentState state;
  auto x = drop(recurrence_->forward(drop(embedding_(tokens)), state));  // [B, T, H]
  return move ? moved_to_end(x, inputs.lengths) : x;
}

torch::Tensor RnnImpl::forward(const Inputs& inputs) {
  const auto x = represent(inputs);                      // [B, T, H]
  return head_(classifies_ ? last_real(x, inputs) : x);  // [B, T, V] or [B, K]
}

/// The state after the tokens so far.
class RnnDecoding : public Decoding {
 public:
  RnnDecoding(RnnImpl& model, const Inputs& inputs) : model_(model) {
    if (!inputs.tokens.defined() || inputs.tokens.size(1) == 0) return;
    const auto T = inputs.tokens.size(1);
    const auto padded =
        inputs.lengths.defined() ? T - inputs.lengths.min().item<std::int64_t>() : 0;
    for (std::int64_t t = 0; t < padded; ++t) {
      const auto before = state_;
      read(inputs.tokens.narrow(1, t, 1));
      const auto real = inputs.lengths >= T - t;  // [B]
      keep_unless(real, before.hidden, state_.hidden);
      keep_unless(real, before.cell, state_.cell);
    }
    if (padded < T) read(inputs.tokens.narrow(1, padded, T - padded));
  }

  torch::Tensor step(const torch::Tensor& tokens) override {
    return model_.head_(read(tokens.unsqueeze(1)).select(1, 0));  // [B, V]
  }

  void select_rows(const torch::Tensor& rows) override { state_.select_rows(rows); }

 private:
  /// tokens [B, T] -> [B, T, H].
  torch::Tensor read(const torch::Tensor& tokens) {
    return model_.recurrence_->forward(model_.embedding_(tokens), state_);
  }

  /// Takes `now` [L, B, H] back to what it was `before` in the rows whose token is padding.
  static void keep_unless(const torch::Tensor& real, const torch::Tensor& before,
                          torch::Tensor& now) {
    if (!now.defined()) return;
    const auto old = before.defined() ? before : torch::zeros_like(now);
    now = torch::where(real.view({1, -1, 1}), now, old);
  }

  RnnImpl& model_;
  RecurrentState state_;
};

std::unique_ptr<Decoding> RnnImpl::start(const Inputs& inputs, FullBlock /*full_block*/) {
  require<std::logic_error>(!classifies_, "rnn: a model of classes writes no text");
  return std::make_unique<RnnDecoding>(*this, inputs);
}

Architecture rnn_architecture() {
  return make_architecture<RnnOptions, RnnImpl>(
      "rnn", "recurrent network: plain, LSTM or GRU cells carry a state from token to token",
      {"language_model", "sequence_to_sequence", "text_classification"},
      [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        return {{{"cell", "lstm"}, {"d_model", 8}, {"d_hidden", 16}, {"n_layers", 2}},
                facts,
                inputs,
                {batch, 5, 7}};
      });
}

}  // namespace zoo
