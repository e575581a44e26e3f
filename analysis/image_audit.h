#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/found_places.h"
#include "vision/image_data.h"
#include "vision/pixel_statistics.h"

namespace zoo {

/// What one split was found to hold.
struct ImageSplitAudit {
  std::string name;
  std::int64_t images = 0;
  PixelStatistics statistics;              ///< of each channel, brightness from 0 to 1
  std::vector<std::int64_t> class_counts;  ///< images of each class
  FoundPlaces repeated;                    ///< equal to an earlier one of the split
  FoundPlaces in_train;                    ///< equal to one of train
  FoundPlaces in_val;                      ///< of test: equal to one of val
  FoundPlaces other_label;  ///< equal to an earlier one, of any split, of another class
  FoundPlaces blank;        ///< each channel has one value throughout
};

/// What the images that a config names were found to be.
struct ImageAudit {
  ImageSize size;
  bool deduplicate = true;  ///< whether the loader kept equal images once
  std::vector<std::string> classes;
  std::vector<ImageSplitAudit> splits;  ///< those that have images, train first
  std::vector<SourceFile> files;
  std::vector<std::string> notes;  ///< the loader's, which say what it dropped
};

/// Looks through images that were loaded by those options.
ImageAudit audit_images(const ImageData& data, const ImageOptions& options);

}  // namespace zoo
