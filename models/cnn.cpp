#include "models/cnn.h"

#include <torch/types.h>

#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {

CnnBlockImpl::CnnBlockImpl(const CnnOptions& options, std::int64_t dilation, bool last)
    : reach_((options.kernel_size - 1) * dilation), dropout_(options.dropout) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  convolution_ = register_module(
      "convolution",
      nn::Conv1d(nn::Conv1dOptions(C, 2 * C, options.kernel_size).dilation(dilation)));
  if (!last) residual_ = register_module("residual", nn::Conv1d(nn::Conv1dOptions(C, C, 1)));
  skip_ = register_module("skip", nn::Conv1d(nn::Conv1dOptions(C, C, 1)));
}

torch::Tensor CnnBlockImpl::forward(const torch::Tensor& x, torch::Tensor& skipped) {
  const auto seen = torch::constant_pad_nd(x, {reach_, 0});  // [B, C, T + reach]
  const auto halves = convolution_(seen).chunk(2, 1);        // 2 of [B, C, T]
  const auto gated = torch::dropout(halves[0].tanh() * halves[1].sigmoid(), dropout_,
                                    is_training());  // [B, C, T]
  const auto part = skip_(gated);
  skipped = skipped.defined() ? skipped + part : part;
  return residual_ ? x + residual_(gated) : x;
}

CnnImpl::CnnImpl(const CnnOptions& options, const DataFacts& facts)
    : options_(options), classifies_(facts.classes > 0) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, C));
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    const auto dilation = std::int64_t{1} << (layer % options.dilation_cycle);
    const bool last = layer + 1 == options.n_layers;
    blocks_.push_back(
        register_module("block_" + std::to_string(layer), CnnBlock(options, dilation, last)));
  }
  hidden_ = register_module("hidden", nn::Linear(C, C));
  head_ = register_module("head", nn::Linear(C, classifies_ ? facts.classes : facts.vocab_size));
}

torch::Tensor CnnImpl::represent(const Inputs& inputs) {
  expect_tokens("cnn", inputs, /*block_size=*/0);

  // Padding in front would be seen by the first tokens.
  const bool move = inputs.lengths.defined() && inputs.left_padded;
  const auto tokens = move ? moved_to_start(inputs.tokens, inputs.lengths) : inputs.tokens;
  auto x = torch::dropout(embedding_(tokens), options_.dropout, is_training());
  x = x.transpose(1, 2);  // [B, C, T]
  torch::Tensor skipped;  // [B, C, T]
  for (auto& block : blocks_) x = block->forward(x, skipped);
  const auto read = hidden_(skipped.relu().transpose(1, 2)).relu();  // [B, T, C]
  return move ? moved_to_end(read, inputs.lengths) : read;
}

torch::Tensor CnnImpl::forward(const Inputs& inputs) {
  auto x = represent(inputs);         // [B, T, C]
  if (!classifies_) return head_(x);  // [B, T, V]
  if (inputs.lengths.defined()) {
    const auto padding = real_tokens(inputs).logical_not().unsqueeze(-1);  // [B, T, 1]
    x = x.masked_fill(padding, 0.0);  // no channel is below 0 after its ReLU
  }
  return head_(x.amax(1));  // [B, K]
}

Architecture cnn_architecture() {
  return make_architecture<CnnOptions, CnnImpl>(
      "cnn", "causal dilated convolutions: each layer sees twice as far back",
      {"language_model", "sequence_to_sequence", "text_classification"},
      [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        return {{{"d_model", 16}, {"n_layers", 3}}, facts, inputs, {batch, 5, 7}};
      });
}

}  // namespace zoo
