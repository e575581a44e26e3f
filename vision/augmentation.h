#pragma once

#include <cstdint>

#include <torch/types.h>

#include "core/options.h"

namespace zoo {

/// How training images are changed, each time anew. What moves in from outside is black.
struct AugmentationOptions {
  std::int64_t crop_padding = 0;
  double shift = 0.0;
  bool flip = false;
  double rotation = 0.0;
  double scale = 0.0;
  std::int64_t cutout = 0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("crop_padding", self.crop_padding,
          "Images are padded by so many black pixels on each side and cut to their size again at "
          "a random place: moved by whole pixels.",
          at_least(0));
    visit("shift", self.shift, "Most pixels, with fractions, that an image is moved each way.",
          at_least(0));
    visit("flip", self.flip, "Whether every other image is mirrored left to right.");
    visit("rotation", self.rotation, "Most degrees that an image is turned either way.",
          at_least(0).up_to(180));
    visit("scale", self.scale,
          "Most that an image grows or shrinks, as a share: 0.1 for 0.9 to 1.1 times its size.",
          at_least(0).below(1));
    visit("cutout", self.cutout, "Side in pixels of a square of each image that is blackened.",
          at_least(0));
  }
  void validate(const std::string& /*path*/) const {}

  bool any() const;
};

/// Images [B, C, H, W] float32 from 0 to 255 -> the same, each changed by what is drawn from the
/// generator (of the CPU, whatever the images' device): one bilinear resampling, then cutout
/// (DeVries and Taylor, 2017).
torch::Tensor augmented(const torch::Tensor& images, const AugmentationOptions& options,
                        at::Generator generator);

}  // namespace zoo
