#pragma once

#include <filesystem>
#include <string>

#include "core/files.h"

namespace zoo {

/// Ten classes of 28 x 28 pixels in the format of MNIST.
inline void write_idx_images(const std::filesystem::path& folder, const std::string& split,
                             int images) {
  const auto number = [](int value) {
    return std::string{'\0', '\0', static_cast<char>(value >> 8), static_cast<char>(value & 255)};
  };
  std::string pixels = {'\0', '\0', '\x08', '\x03'};
  std::string labels = {'\0', '\0', '\x08', '\x01'};
  pixels += number(images) + number(28) + number(28);
  labels += number(images);
  for (int image = 0; image < images; ++image) {
    labels += static_cast<char>(image % 10);
    for (int pixel = 0; pixel < 28 * 28; ++pixel) {
      pixels += static_cast<char>((image * 7919 + pixel * (image + images)) % 251);
    }
  }
  write_file_synced(folder / (split + "-images-idx3"), pixels);
  write_file_synced(folder / (split + "-labels-idx1"), labels);
}

}  // namespace zoo
