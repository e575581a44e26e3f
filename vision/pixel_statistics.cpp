#include "vision/pixel_statistics.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace zoo {

PixelStatistics pixel_statistics(const ImageSplit& split, const ImageSize& size) {
  constexpr double kLargest = 255.0;
  const auto channels = static_cast<std::size_t>(size.channels);
  const auto area = static_cast<std::size_t>(size.height * size.width);
  // Counts of the 256 values are exact for any number of images.
  std::vector<std::array<std::int64_t, 256>> counts(channels);
  for (std::size_t at = 0; at < split.pixels.size(); at += area) {
    auto& of_channel = counts[at / area % channels];
    for (std::size_t i = 0; i < area; ++i) ++of_channel[split.pixels[at + i]];
  }
  PixelStatistics statistics;
  const auto number = static_cast<double>(split.size()) * static_cast<double>(area);
  for (const auto& of_channel : counts) {
    double sum = 0.0;
    double squares = 0.0;
    for (std::size_t value = 0; value < of_channel.size(); ++value) {
      const auto count = static_cast<double>(of_channel[value]);
      const auto brightness = static_cast<double>(value);
      sum += count * brightness;
      squares += count * brightness * brightness;
    }
    const auto mean = sum / number;
    const auto variance = squares / number - mean * mean;
    statistics.mean.push_back(mean / kLargest);
    statistics.deviation.push_back(variance > 0.0 ? std::sqrt(variance) / kLargest : 1.0);
  }
  return statistics;
}

}  // namespace zoo
