#pragma once

#include <cstdint>
#include <span>

#include "vision/image.h"

namespace zoo {

/// An image cut into patches; height and width are multiples of rows and columns.
struct PatchLayout {
  ImageSize image;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

/// The size to show the image at, its shorter side about `shorter_side` pixels or somewhat more:
/// enlarged by whole pixels, or reduced so that all patches keep equal whole pixels.
ImageSize cell_size(const PatchLayout& grid, std::int64_t shorter_side);

/// The image at another height and width: each pixel is the mean of what it covers, so an
/// enlargement by whole pixels repeats them.
Image rescaled(const Image& image, std::int64_t height, std::int64_t width);

/// The image in dimmed grey and over it the patch weights [rows, columns], in colours scaled to the
/// largest weight, or to twice the mean of weights that sum to 1 where that is larger: so a head
/// that looks everywhere alike is even and half bright, and one that looks at no patch stays dark.
/// Three channels; the image's sides are multiples of the grid's.
Image attention_cell(const Image& image, const PatchLayout& grid, std::span<const float> weights);

}  // namespace zoo
