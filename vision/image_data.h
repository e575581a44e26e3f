#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/source_file.h"
#include "vision/image.h"
#include "vision/image_options.h"

namespace zoo {

/// One split, as bytes.
struct ImageSplit {
  std::string name;                          ///< train, val or test
  std::vector<std::uint8_t> pixels;          ///< [N, C, H, W]
  std::vector<std::int32_t> labels;          ///< [N], indices into the classes
  std::vector<std::string> files;            ///< that the images came from
  std::vector<std::int32_t> file_of;         ///< [N], index into files
  std::vector<std::int64_t> number_in_file;  ///< [N], from 1; 0: the file is the image
  const char* unit = "image";                ///< that is counted in a file: image, or line

  bool empty() const { return labels.empty(); }
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  /// "digits/3/a.png", "train-images.gz, image 12", or "train.csv, line 12".
  std::string place_of(std::int64_t image) const;
};

/// Images that were read, brought to one size and split.
struct ImageData {
  ImageSize size;
  std::vector<std::string> classes;  ///< of train, numbers in their order, else sorted
  ImageSplit train, val, test;
  std::vector<SourceFile> files;
  std::vector<std::string> notes;  ///< what a careful user wants to be told, one sentence each

  /// The split of that name. Throws UserError for an unknown name and for a split without data,
  /// naming those that there are.
  const ImageSplit& split(const std::string& name) const;
};

/// Reads the images that the options name (paths as they are) and splits them: each class is dealt
/// to the splits by split_seed, and equal images never stand in two. Throws UserError: a file
/// missing, empty or broken, images of different sizes or kinds, one class only, a class without
/// images, a label that train does not have, a split without data.
ImageData load_image_data(const ImageOptions& options);

}  // namespace zoo
