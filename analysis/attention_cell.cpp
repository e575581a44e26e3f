#include "analysis/attention_cell.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace zoo {
namespace {

/// What is left of the image's brightness under the colours.
constexpr double kDimmed = 0.6;
/// How much of the colour covers the image under the largest weight.
constexpr double kCover = 0.85;

using Colour = std::array<std::uint8_t, 3>;

/// Eight of ten even points of matplotlib's inferno, from dark to bright. Without the two that are
/// nearly black: a small weight would darken the image.
constexpr std::array<Colour, 8> kInferno = {{{75, 12, 107},
                                             {120, 28, 109},
                                             {165, 44, 96},
                                             {207, 68, 70},
                                             {237, 105, 37},
                                             {251, 154, 6},
                                             {247, 208, 60},
                                             {252, 255, 164}}};

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 255.0)));
}

std::size_t index_of(const ImageSize& size, std::int64_t channel, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>((channel * size.height + y) * size.width + x);
}

/// One row of a resize: for each output place the inputs that it covers, in units of 1 / outputs.
struct Cover {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< inclusive
  std::int64_t inputs = 0;
  std::int64_t outputs = 0;
  std::int64_t at = 0;

  Cover(std::int64_t all_inputs, std::int64_t all_outputs, std::int64_t place)
      : first(place * all_inputs / all_outputs),
        last(((place + 1) * all_inputs - 1) / all_outputs),
        inputs(all_inputs),
        outputs(all_outputs),
        at(place) {}

  [[nodiscard]] std::int64_t share(std::int64_t input) const {
    return std::min((at + 1) * inputs, (input + 1) * outputs) -
           std::max(at * inputs, input * outputs);
  }
};

double luminance(const Image& image, std::int64_t y, std::int64_t x) {
  const auto channel = [&](std::int64_t c) -> double {
    return image.pixels[index_of(image.size, c, y, x)];
  };
  if (image.size.channels == 1) return channel(0);
  return 0.299 * channel(0) + 0.587 * channel(1) + 0.114 * channel(2);
}

/// The colour of a weight from 0 to 1.
Colour heat_colour(double value) {
  const auto place = std::clamp(value, 0.0, 1.0) * static_cast<double>(kInferno.size() - 1);
  const auto below = std::min(static_cast<std::size_t>(place), kInferno.size() - 2);
  const auto part = place - static_cast<double>(below);
  Colour colour{};
  for (std::size_t c = 0; c < colour.size(); ++c) {
    colour[c] = to_byte((1 - part) * kInferno[below][c] + part * kInferno[below + 1][c]);
  }
  return colour;
}

}  // namespace

ImageSize cell_size(const PatchLayout& grid, std::int64_t shorter_side) {
  const auto [channels, height, width] = grid.image;
  const auto shorter = std::min(height, width);
  if (shorter <= shorter_side) {
    const auto scale = (shorter_side + shorter - 1) / shorter;
    return {channels, height * scale, width * scale};
  }
  const auto reduced = [&](std::int64_t side, std::int64_t patches) {
    return patches * ((side / patches * shorter_side + shorter - 1) / shorter);
  };
  return {channels, reduced(height, grid.rows), reduced(width, grid.columns)};
}

Image rescaled(const Image& image, std::int64_t height, std::int64_t width) {
  const auto& from = image.size;
  Image to{{from.channels, height, width}, {}};
  to.pixels.resize(static_cast<std::size_t>(to.size.pixels()));
  const auto whole = from.height * from.width;
  for (std::int64_t c = 0; c < from.channels; ++c) {
    for (std::int64_t y = 0; y < height; ++y) {
      const Cover rows(from.height, height, y);
      for (std::int64_t x = 0; x < width; ++x) {
        const Cover columns(from.width, width, x);
        std::int64_t sum = whole / 2;  // rounds to the nearest
        for (auto row = rows.first; row <= rows.last; ++row) {
          for (auto column = columns.first; column <= columns.last; ++column) {
            sum += rows.share(row) * columns.share(column) *
                   image.pixels[index_of(from, c, row, column)];
          }
        }
        to.pixels[index_of(to.size, c, y, x)] = static_cast<std::uint8_t>(sum / whole);
      }
    }
  }
  return to;
}

Image attention_cell(const Image& image, const PatchLayout& grid, std::span<const float> weights) {
  const auto patches = static_cast<double>(grid.rows * grid.columns);
  const double largest = *std::max_element(weights.begin(), weights.end());
  const auto bright = std::max(largest, std::min(1.0, 2 / patches));
  const auto patch_height = image.size.height / grid.rows;
  const auto patch_width = image.size.width / grid.columns;
  Image cell{{3, image.size.height, image.size.width}, {}};
  cell.pixels.resize(static_cast<std::size_t>(cell.size.pixels()));
  for (std::int64_t y = 0; y < cell.size.height; ++y) {
    for (std::int64_t x = 0; x < cell.size.width; ++x) {
      const auto patch = y / patch_height * grid.columns + x / patch_width;
      const auto value = weights[static_cast<std::size_t>(patch)] / bright;
      const auto colour = heat_colour(value);
      // The root lets small weights show that they are not none.
      const auto cover = kCover * std::sqrt(value);
      const auto grey = kDimmed * luminance(image, y, x);
      for (std::int64_t c = 0; c < 3; ++c) {
        cell.pixels[index_of(cell.size, c, y, x)] =
            to_byte((1 - cover) * grey + cover * colour[static_cast<std::size_t>(c)]);
      }
    }
  }
  return cell;
}

}  // namespace zoo
