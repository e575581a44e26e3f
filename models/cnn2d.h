#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

enum class ImageNormType { kBatch, kLayer };
inline EnumNames<ImageNormType> names_of(ImageNormType) {
  return {{"batch", ImageNormType::kBatch}, {"layer", ImageNormType::kLayer}};
}

struct Cnn2dOptions {
  std::int64_t width = 32;
  std::int64_t n_stages = 3;
  std::int64_t n_blocks = 1;
  std::int64_t stem_stride = 1;
  ImageNormType norm = ImageNormType::kBatch;
  double dropout = 0.0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("width", self.width, "Channels of the first stage; each later one has twice as many.",
          at_least(1));
    visit("n_stages", self.n_stages,
          "Number of stages; each but the first halves the image's height and width.",
          at_least(1).up_to(8));
    visit("n_blocks", self.n_blocks, "Residual blocks of a stage.", at_least(1));
    visit("stem_stride", self.stem_stride,
          "Step of the first convolution: 2 halves height and width at once, for larger images.",
          at_least(1).up_to(4));
    visit("norm", self.norm,
          "batch: each channel over the batch; layer: all channels and pixels of one image.");
    visit("dropout", self.dropout, "Probability of dropping a channel of the pooled image.",
          at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// Normalises x [B, C, H, W], then scales and shifts each channel.
///
/// batch (Ioffe and Szegedy, 2015): each channel over the batch and its pixels; in evaluation by
/// the running averages of training. layer (Ba et al., 2016): each image over its channels and
/// pixels.
class ImageNormImpl : public torch::nn::Module {
 public:
  ImageNormImpl(ImageNormType type, std::int64_t channels);

  /// x [B, C, H, W] -> [B, C, H, W].
  torch::Tensor forward(const torch::Tensor& x);

 private:
  ImageNormType type_;
  torch::Tensor weight_, bias_;                    // [C]
  torch::Tensor running_mean_, running_variance_;  // [C], batch only
};
TORCH_MODULE(ImageNorm);

/// Two 3 x 3 convolutions and a shortcut (He et al., 2016); the shortcut is a 1 x 1 convolution
/// where the shape changes.
class ResidualBlockImpl : public torch::nn::Module {
 public:
  ResidualBlockImpl(std::int64_t channels_in, std::int64_t channels_out, std::int64_t stride,
                    ImageNormType norm);

  /// x [B, C, H, W] -> [B, C', ceil(H / stride), ceil(W / stride)].
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::Conv2d first_{nullptr}, second_{nullptr}, shortcut_{nullptr};
  ImageNorm first_norm_{nullptr}, second_norm_{nullptr}, shortcut_norm_{nullptr};
};
TORCH_MODULE(ResidualBlock);

/// A small residual network (He et al., 2016).
///
///   images [B, c, H, W] -> 3 x 3 convolution, norm, ReLU [B, F, H, W]
///                       -> n_stages x n_blocks x ResidualBlock [B, F 2^(n_stages - 1), H', W']
///                       -> mean over the pixels [B, C] -> logits [B, K]
///
/// B batch, c channels, H height, W width, F width of the first stage, C channels of the last, K
/// classes.
class Cnn2dImpl : public Model {
 public:
  Cnn2dImpl(const Cnn2dOptions& options, const DataFacts& facts);

  /// images [B, c, H, W] -> logits [B, K].
  torch::Tensor forward(const Inputs& inputs) override;

 private:
  Cnn2dOptions options_;
  std::int64_t channels_;
  torch::nn::Conv2d stem_{nullptr};  // c -> F
  ImageNorm stem_norm_{nullptr};
  std::vector<ResidualBlock> blocks_;
  torch::nn::Linear classifier_{nullptr};  // C -> K
};
TORCH_MODULE(Cnn2d);

}  // namespace zoo
