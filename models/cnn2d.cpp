#include "models/cnn2d.h"

#include <torch/nn/init.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {
namespace {

constexpr double kEps = 1e-5;
constexpr double kMomentum = 0.1;

/// A convolution without bias, which the norm after it has; padded to keep the size.
torch::nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                              std::int64_t stride) {
  auto layer = torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
  torch::nn::init::kaiming_normal_(layer->weight, 0.0, torch::kFanOut, torch::kReLU);
  return layer;
}

}  // namespace

ImageNormImpl::ImageNormImpl(ImageNormType type, std::int64_t channels) : type_(type) {
  weight_ = register_parameter("weight", torch::ones({channels}));
  bias_ = register_parameter("bias", torch::zeros({channels}));
  if (type_ == ImageNormType::kBatch) {
    running_mean_ = register_buffer("running_mean", torch::zeros({channels}));
    running_variance_ = register_buffer("running_variance", torch::ones({channels}));
  }
}

torch::Tensor ImageNormImpl::forward(const torch::Tensor& x) {
  if (type_ == ImageNormType::kLayer) {
    return torch::group_norm(x, /*num_groups=*/1, weight_, bias_, kEps);
  }
  return torch::batch_norm(x, weight_, bias_, running_mean_, running_variance_, is_training(),
                           kMomentum, kEps, /*cudnn_enabled=*/true);
}

ResidualBlockImpl::ResidualBlockImpl(std::int64_t channels_in, std::int64_t channels_out,
                                     std::int64_t stride, ImageNormType norm) {
  first_ = register_module("first", convolution(channels_in, channels_out, 3, stride));
  first_norm_ = register_module("first_norm", ImageNorm(norm, channels_out));
  second_ = register_module("second", convolution(channels_out, channels_out, 3, 1));
  second_norm_ = register_module("second_norm", ImageNorm(norm, channels_out));
  if (stride == 1 && channels_in == channels_out) return;
  shortcut_ = register_module("shortcut", convolution(channels_in, channels_out, 1, stride));
  shortcut_norm_ = register_module("shortcut_norm", ImageNorm(norm, channels_out));
}

torch::Tensor ResidualBlockImpl::forward(const torch::Tensor& x) {
  const auto shortcut = shortcut_ ? shortcut_norm_(shortcut_(x)) : x;
  const auto y = second_norm_(second_(first_norm_(first_(x)).relu_()));
  return (y + shortcut).relu_();  // [B, C', H', W']
}

Cnn2dImpl::Cnn2dImpl(const Cnn2dOptions& options, const DataFacts& facts)
    : options_(options), channels_(facts.channels) {
  auto channels = options.width;
  stem_ = register_module("stem", convolution(facts.channels, channels, 3, options.stem_stride));
  stem_norm_ = register_module("stem_norm", ImageNorm(options.norm, channels));
  for (std::int64_t stage = 0; stage < options.n_stages; ++stage) {
    for (std::int64_t block = 0; block < options.n_blocks; ++block) {
      const bool halves = stage > 0 && block == 0;
      const auto out = halves ? 2 * channels : channels;
      const auto name = "stage_" + std::to_string(stage) + "_block_" + std::to_string(block);
      blocks_.push_back(
          register_module(name, ResidualBlock(channels, out, halves ? 2 : 1, options.norm)));
      channels = out;
    }
  }
  classifier_ = register_module("classifier", torch::nn::Linear(channels, facts.classes));

  // Small logits at first, so that training starts at ln K.
  const torch::NoGradGuard no_grad;
  classifier_->weight.mul_(0.1);
  classifier_->bias.zero_();
}

torch::Tensor Cnn2dImpl::forward(const Inputs& inputs) {
  expect_shape("cnn2d", "images", inputs.images, {kAnySize, channels_, kAnySize, kAnySize});

  auto x = stem_norm_(stem_(inputs.images)).relu_();  // [B, F, H, W]
  for (auto& block : blocks_) x = block(x);           // [B, C, H', W']
  const auto pooled = torch::dropout(x.mean({2, 3}), options_.dropout, is_training());  // [B, C]
  return classifier_(pooled);                                                           // [B, K]
}

Architecture cnn2d_architecture() {
  auto row = make_architecture<Cnn2dOptions, Cnn2dImpl>(
      "cnn2d", "a small residual network of convolutions over images", {"image_classification"},
      [](std::int64_t batch) -> Example {
        return example_on_images({{"width", 4}, {"n_stages", 2}}, batch);
      });
  row.causal = false;
  return row;
}

}  // namespace zoo
