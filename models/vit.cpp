#include "models/vit.h"

#include <torch/nn/functional/upsampling.h>
#include <torch/nn/init.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"
#include "models/taps.h"

namespace zoo {
namespace {

constexpr double kInitialDeviation = 0.02;

/// Throws ConfigError unless whole patches fill the image.
void expect_whole_patches(std::int64_t patch, const DataFacts& facts) {
  std::vector<std::string> fitting;
  for (std::int64_t side = 1; side <= std::min(facts.height, facts.width); ++side) {
    if (facts.height % side == 0 && facts.width % side == 0) {
      fitting.push_back(std::to_string(side));
    }
  }
  require<ConfigError>(facts.height % patch == 0 && facts.width % patch == 0,
                       "model.patch_size: ", patch, " does not divide the images, which are ",
                       facts.height, " x ", facts.width,
                       " pixels; these do: ", join(fitting, ", "));
}

}  // namespace

void VitOptions::validate(const std::string& path) const {
  BlockOptions::validate(path);
  require<ConfigError>(positions != PatchPositions::kSinusoidal || d_model % 4 == 0, path,
                       ".positions: sinusoidal needs d_model to be a multiple of 4, it is ",
                       d_model, "; change either");
}

torch::Tensor sinusoidal_grid(std::int64_t rows, std::int64_t columns, std::int64_t channels) {
  const auto half = channels / 2;
  const auto of_row = sinusoidal_table(rows, half).unsqueeze(1).expand({rows, columns, half});
  const auto of_column = sinusoidal_table(columns, half).unsqueeze(0).expand({rows, columns, half});
  return torch::cat({of_row, of_column}, -1).flatten(0, 1);  // [N, C]
}

VitImpl::VitImpl(const VitOptions& options, const DataFacts& facts)
    : options_(options), facts_(facts) {
  namespace nn = torch::nn;
  const auto C = options.d_model;
  const auto P = options.patch_size;
  expect_whole_patches(P, facts);
  rows_ = facts.height / P;
  columns_ = facts.width / P;
  const auto N = rows_ * columns_;
  patches_ =
      register_module("patches", nn::Conv2d(nn::Conv2dOptions(facts.channels, C, P).stride(P)));
  class_token_ = register_parameter("class_token", torch::zeros({1, 1, C}));
  if (options.positions == PatchPositions::kLearned) {
    positions_ = register_parameter("positions", torch::zeros({1, N + 1, C}));
  } else if (options.positions == PatchPositions::kSinusoidal) {
    const auto grid = sinusoidal_grid(rows_, columns_, C);
    positions_ =
        register_buffer("positions", torch::cat({torch::zeros({1, C}), grid}).unsqueeze(0));
  }
  for (std::int64_t layer = 0; layer < options.n_layers; ++layer) {
    blocks_.push_back(register_module("block_" + std::to_string(layer), TransformerBlock(options)));
  }
  norm_ = register_module("norm", Norm(options.norm, C, options.bias));
  classifier_ = register_module("classifier", nn::Linear(C, facts.classes));
  initialise_transformer(*this, options.n_layers);

  // As in the paper's code: so small a width learns much slower from N(0, 0.02).
  const torch::NoGradGuard no_grad;
  for (auto& block : blocks_) {
    for (auto& item : block->named_parameters()) {
      if (item.value().dim() == 2) nn::init::xavier_uniform_(item.value());
    }
  }
  class_token_.normal_(0.0, kInitialDeviation);
  if (options.positions == PatchPositions::kLearned) positions_.normal_(0.0, kInitialDeviation);
}

torch::Tensor VitImpl::forward(const Inputs& inputs) {
  expect_shape("vit", "images", inputs.images,
               {kAnySize, facts_.channels, facts_.height, facts_.width});

  const auto patches = patches_(inputs.images).flatten(2).transpose(1, 2);             // [B, N, C]
  const auto class_token = class_token_ + torch::zeros_like(patches.narrow(1, 0, 1));  // [B, 1, C]
  auto x = torch::cat({class_token, patches}, 1);  // [B, N + 1, C]
  if (positions_.defined()) x = x + positions_;

  RowContext context;
  context.mask = mask_of(/*real=*/{}, /*causal=*/false);
  const bool norm_first = options_.norm_place == NormPlace::kPost;
  if (norm_first) x = norm_(x);
  x = torch::dropout(x, options_.dropout, is_training());
  for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
    const TapScope scope("layer", layer + 1);
    x = blocks_[layer](x, context);  // [B, N + 1, C]
  }
  if (!norm_first) x = norm_(x);
  const auto pooled = options_.pooling == Pooling::kCls
                          ? x.select(1, 0)
                          : x.narrow(1, 1, x.size(1) - 1).mean(1);  // [B, C]
  return classifier_(pooled);                                       // [B, K]
}

torch::Tensor VitImpl::resized(const std::string& name, const torch::Tensor& tensor,
                               const DataFacts& facts) const {
  namespace F = torch::nn::functional;
  const auto P = options_.patch_size;
  const auto C = options_.d_model;
  const auto rows = facts.height / P;
  const auto columns = facts.width / P;
  const bool fits =
      tensor.dim() == 3 && tensor.size(1) == rows * columns + 1 && tensor.size(2) == C;
  if (name != "positions" || !fits) return {};
  if (options_.positions == PatchPositions::kSinusoidal) return positions_;
  const auto grid = tensor.narrow(1, 1, rows * columns).reshape({1, rows, columns, C});
  const auto resized_grid = F::interpolate(grid.permute({0, 3, 1, 2}),
                                           F::InterpolateFuncOptions()
                                               .size(std::vector<std::int64_t>{rows_, columns_})
                                               .mode(torch::kBicubic)
                                               .align_corners(false));
  return torch::cat({tensor.narrow(1, 0, 1), resized_grid.flatten(2).transpose(1, 2)}, 1);
}

Architecture vit_architecture() {
  auto row = make_architecture<VitOptions, VitImpl>(
      "vit", "Vision Transformer: an image as a sequence of patches", {"image_classification"},
      [](std::int64_t batch) -> Example {
        return example_on_images(
            {{"patch_size", 4}, {"d_model", 16}, {"n_heads", 2}, {"n_layers", 2}}, batch);
      });
  row.causal = false;
  return row;
}

}  // namespace zoo
