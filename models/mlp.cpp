#include "models/mlp.h"

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {

FlattenedModel::FlattenedModel(const MlpOptions& options, std::int64_t width, std::int64_t answers)
    : options_(options) {
  namespace nn = torch::nn;
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    const auto number = std::to_string(layer);
    hidden_.push_back(register_module("hidden_" + number, nn::Linear(width, options.d_hidden)));
    if (options.norm != NormType::kNone) {
      norms_.push_back(
          register_module("norm_" + number, Norm(options.norm, options.d_hidden, /*bias=*/true)));
    }
    width = options.d_hidden;
  }
  head_ = register_module("head", nn::Linear(width, answers));

  // Small logits at first, so that training starts at ln V instead of unlearning a wrong certainty.
  const torch::NoGradGuard no_grad;
  head_->weight.mul_(0.1);
  head_->bias.zero_();
}

torch::Tensor FlattenedModel::activate(const torch::Tensor& x) const {
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

torch::Tensor FlattenedModel::answer(torch::Tensor x) {
  for (std::size_t layer = 0; layer < hidden_.size(); ++layer) {
    x = hidden_[layer](x);  // [B, F]
    if (!norms_.empty()) x = norms_[layer](x);
    x = torch::dropout(activate(x), options_.dropout, is_training());
  }
  return head_(x);  // [B, V] or [B, K]
}

MlpImpl::MlpImpl(const MlpOptions& options, const DataFacts& facts)
    : FlattenedModel(options, options.block_size * options.d_model, facts.vocab_size),
      block_size_(options.block_size),
      pads_with_boundary_(facts.boundary_id >= 0) {
  embedding_ =
      register_module("embedding", torch::nn::Embedding(facts.vocab_size, options.d_model));
}

torch::Tensor MlpImpl::forward(const Inputs& inputs) {
  expect_shape("mlp", "tokens", inputs.tokens, {kAnySize, block_size_});

  auto x = embedding_(inputs.tokens);  // [B, T, C]
  if (inputs.lengths.defined() && !pads_with_boundary_) {
    x = x * real_tokens(inputs).unsqueeze(-1);  // [B, T, C], padding is zero
  }
  return answer(x.flatten(1));  // [B, V]
}

ImageMlpImpl::ImageMlpImpl(const MlpOptions& options, const DataFacts& facts)
    : FlattenedModel(options, facts.channels * facts.height * facts.width, facts.classes),
      facts_(facts) {}

torch::Tensor ImageMlpImpl::forward(const Inputs& inputs) {
  expect_shape("mlp", "images", inputs.images,
               {kAnySize, facts_.channels, facts_.height, facts_.width});
  return answer(inputs.images.flatten(1));  // [B, K]
}

Architecture mlp_architecture() {
  auto row = make_architecture<MlpOptions, MlpImpl>(
      "mlp",
      "a multi-layer perceptron over a fixed number of tokens, or over all pixels of an image",
      {"language_model", "sequence_to_sequence", "image_classification"},
      [](std::int64_t batch) -> Example {
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
  row.build = [](const nlohmann::json& options, const DataFacts& facts) -> std::shared_ptr<Model> {
    const auto read = read_options<MlpOptions>(options, "model");
    if (facts.channels > 0) return std::make_shared<ImageMlpImpl>(read, facts);
    return std::make_shared<MlpImpl>(read, facts);
  };
  row.tiny_on_images = [](std::int64_t batch) -> Example {
    return example_on_images({{"d_hidden", 16}, {"n_layers", 2}}, batch);
  };
  return row;
}

}  // namespace zoo
