#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/source_file.h"
#include "vision/image_data.h"

namespace zoo {

inline constexpr std::size_t kTrain = 0, kVal = 1, kTest = 2;
inline constexpr std::array<const char*, 3> kSplitNames = {"train", "val", "test"};

/// Bytes of the pixels of one set, and of one file that is unpacked, at most.
inline constexpr std::int64_t kMostSetBytes = std::int64_t{1} << 31;

/// Labelled images that one option names.
struct ImageSet {
  std::string option;              ///< path, train_path, ...
  std::string path;                ///< its value
  ImageSize size;                  ///< of each image
  ImageSplit images;               ///< labels: indices into `names`
  std::vector<std::string> names;  ///< of its labels, in any order

  std::string_view pixels_of(std::int64_t image) const;
};

/// All that the options name: images to be split stand in train.
struct ImageSources {
  std::array<ImageSet, 3> sets;  ///< train, val and test; those that are not given are empty
  std::vector<SourceFile> files;
  std::vector<std::string> notes;
};

/// What is done with each image of a folder once it is decoded.
using ImageTransform = std::function<Image(Image)>;

/// Numbers labels in the order in which they come.
class LabelNumbers {
 public:
  std::int32_t of(const std::string& label);
  std::vector<std::string>& names() { return names_; }

 private:
  std::unordered_map<std::string, std::int32_t> numbers_;
  std::vector<std::string> names_;
};

/// Throws UserError when so many images of that size are more than is held in memory.
void require_set_bytes(std::int64_t count, const ImageSize& size, const std::string& path);

}  // namespace zoo
