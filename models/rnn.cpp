#include "models/rnn.h"

#include <torch/types.h>

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

Architecture rnn_architecture() {
  return make_architecture<RnnOptions, RnnImpl>(
      "rnn", "recurrent network: plain, LSTM or GRU cells carry a state from token to token",
      {"language_model", "text_classification"}, [](std::int64_t batch) -> Example {
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
