#pragma once

#include <torch/types.h>

#include "vision/image.h"
#include "vision/pixel_statistics.h"

namespace zoo {

/// The image in another size: bilinear, over as many pixels as fall into one when it shrinks.
Image resized(const Image& image, std::int64_t height, std::int64_t width);

/// The image in grey (BT.601 luma) or, each channel the same, in colour.
Image with_channels(const Image& image, std::int64_t channels);

/// Bytes to what a model reads: (x / 255 - mean) / deviation of each channel.
class Normalization {
 public:
  Normalization(const PixelStatistics& statistics, torch::Device device);

  /// images [B, C, H, W], from 0 to 255, of any type -> float32 [B, C, H, W].
  torch::Tensor operator()(const torch::Tensor& images) const;

 private:
  torch::Tensor scale_, offset_;  // [C, 1, 1]
};

}  // namespace zoo
