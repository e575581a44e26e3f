#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include "models/blocks/transformer_block.h"
#include "models/model.h"

namespace zoo {

/// Which vector of the last layer says what an image shows.
enum class Pooling { kCls, kMean };
inline EnumNames<Pooling> names_of(Pooling) {
  return {{"cls", Pooling::kCls}, {"mean", Pooling::kMean}};
}

enum class PatchPositions { kLearned, kSinusoidal, kNone };
inline EnumNames<PatchPositions> names_of(PatchPositions) {
  return {{"learned", PatchPositions::kLearned},
          {"sinusoidal", PatchPositions::kSinusoidal},
          {"none", PatchPositions::kNone}};
}

struct VitOptions : BlockOptions {
  std::int64_t patch_size = 4;
  Pooling pooling = Pooling::kCls;
  PatchPositions positions = PatchPositions::kLearned;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("patch_size", self.patch_size,
          "Side of a patch in pixels; divides height and width of the images.", at_least(1));
    BlockOptions::fields(self, visit);
    visit("pooling", self.pooling,
          "What is classified: the vector of the [CLS] token, or the mean of the patches.");
    visit("positions", self.positions,
          "How a patch knows where it stands; sinusoidal: half the channels tell its row, half its "
          "column.");
  }

  /// Throws ConfigError as BlockOptions does, and unless sinusoidal positions have four channels or
  /// a multiple.
  void validate(const std::string& path) const;
};

/// Positions of a grid of patches: half the channels are those of sinusoidal_table for the row,
/// half those for the column -> [rows columns, C], C a multiple of 4.
torch::Tensor sinusoidal_grid(std::int64_t rows, std::int64_t columns, std::int64_t channels);

/// Vision Transformer (Dosovitskiy et al., 2021): an image is a sequence of patches.
///
///   images [B, c, H, W] -> patches [B, N, C], a convolution with kernel = stride = P
///                       -> [CLS] in front, plus positions [B, N + 1, C]
///                       -> n_layers x TransformerBlock, norm [B, N + 1, C]
///                       -> the [CLS] vector, or the mean of the patches [B, C] -> logits [B, K]
///
/// B batch, c channels, H height, W width, P patch_size, N = H W / P^2 patches in rows from the
/// top, C d_model, K classes. Post-norm, a norm follows the positions instead of the last block.
class VitImpl : public Model, public PatchGrid, public Resizable {
 public:
  /// Throws ConfigError where patch_size does not divide the images, naming sizes that do.
  VitImpl(const VitOptions& options, const DataFacts& facts);

  /// images [B, c, H, W] -> logits [B, K].
  torch::Tensor forward(const Inputs& inputs) override;

  /// Positions of another grid of patches: learned ones bicubically interpolated, [CLS] keeps its
  /// own.
  torch::Tensor resized(const std::string& name, const torch::Tensor& tensor,
                        const DataFacts& facts) const override;

  std::int64_t rows() const override { return rows_; }
  std::int64_t columns() const override { return columns_; }
  bool answers_from_class_token() const override { return options_.pooling == Pooling::kCls; }

 private:
  VitOptions options_;
  DataFacts facts_;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  torch::nn::Conv2d patches_{nullptr};  // c -> C
  torch::Tensor class_token_;           // [1, 1, C]
  torch::Tensor positions_;             // [1, N + 1, C]; a parameter when learned, undefined: none
  std::vector<TransformerBlock> blocks_;
  Norm norm_{nullptr};
  torch::nn::Linear classifier_{nullptr};  // C -> K
};
TORCH_MODULE(Vit);

}  // namespace zoo
