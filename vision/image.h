#pragma once

#include <cstdint>
#include <vector>

namespace zoo {

/// Channels, rows and columns of an image.
struct ImageSize {
  std::int64_t channels = 0;  ///< 1 grey, 3 red, green and blue
  std::int64_t height = 0;
  std::int64_t width = 0;

  std::int64_t pixels() const { return channels * height * width; }
  bool operator==(const ImageSize&) const = default;
};

/// One image, 8 bits a channel.
struct Image {
  ImageSize size;
  std::vector<std::uint8_t> pixels;  ///< [C, H, W], rows from the top
};

}  // namespace zoo
