#include "models/mlp.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {

MlpImpl::MlpImpl(const MlpOptions& options, const DataFacts& facts)
    : options_(options), pads_with_boundary_(facts.boundary_id >= 0) {
  namespace nn = torch::nn;
  embedding_ = register_module("embedding", nn::Embedding(facts.vocab_size, options.d_model));
  auto width = options.block_size * options.d_model;
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    const auto number = std::to_string(layer);
    hidden_.push_back(register_module("hidden_" + number, nn::Linear(width, options.d_hidden)));
    if (options.norm != MlpNorm::kNone) {
      const auto type = options.norm == MlpNorm::kBatch ? NormType::kBatch : NormType::kLayer;
      norms_.push_back(
          register_module("norm_" + number, Norm(type, options.d_hidden, /*bias=*/true)));
    }
    width = options.d_hidden;
  }
  head_ = register_module("head", nn::Linear(width, facts.vocab_size));

  // Small logits at first, so that training starts at ln V instead of unlearning a wrong certainty.
  const torch::NoGradGuard no_grad;
  head_->weight.mul_(0.1);
  head_->bias.zero_();
}

torch::Tensor MlpImpl::activate(const torch::Tensor& x) const {
  switch (options_.activation) {
    case Activation::kTanh:
      return x.tanh();
    case Activation::kRelu:
      return x.relu();
    case Activation::kGelu:
      return torch::gelu(x);
  }
  return x;
}

torch::Tensor MlpImpl::forward(const Inputs& inputs) {
  expect_shape("mlp", "tokens", inputs.tokens, {kAnySize, options_.block_size});

  auto x = embedding_(inputs.tokens);  // [B, T, C]
  if (inputs.lengths.defined() && !pads_with_boundary_) {
    x = x * real_tokens(inputs).unsqueeze(-1);  // [B, T, C], padding is zero
  }
  x = x.flatten(1);  // [B, T C]
  for (std::size_t layer = 0; layer < hidden_.size(); ++layer) {
    x = hidden_[layer](x);  // [B, F]
    if (!norms_.empty()) x = norms_[layer](x);
    x = torch::dropout(activate(x), options_.dropout, is_training());
  }
  return head_(x);  // [B, V]
}

Architecture mlp_architecture() {
  auto row = make_architecture<MlpOptions, MlpImpl>(
      "mlp", "embeddings of a fixed number of tokens, flattened into a multi-layer perceptron",
      {"language_model"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 3}, torch::kInt64);
        return {{{"block_size", 3}, {"d_model", 4}, {"d_hidden", 16}, {"n_layers", 2}},
                facts,
                inputs,
                {batch, 7}};
      });
  row.fixed_length = true;
  return row;
}

}  // namespace zoo
