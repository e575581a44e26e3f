#pragma once

#include <vector>

#include "vision/image_data.h"

namespace zoo {

/// Mean and standard deviation of each channel, of brightness from 0 to 1.
struct PixelStatistics {
  std::vector<double> mean;
  std::vector<double> deviation;  ///< 1 of a channel that never changes

  bool operator==(const PixelStatistics&) const = default;
};

/// Those of all pixels of a split.
PixelStatistics pixel_statistics(const ImageSplit& split, const ImageSize& size);

}  // namespace zoo
