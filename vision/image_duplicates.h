#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vision/image_set.h"

namespace zoo {

/// Numbers of the images of train, val and test, in their order.
using ImageNumbers = std::array<std::vector<std::int64_t>, 3>;

/// Every image.
ImageNumbers all_images(const std::array<ImageSet, 3>& sets);

/// Every image once: of equal ones in one set the first, of those in two sets the one in test, else
/// in val. Notes say how many were dropped. Throws UserError for a set of which nothing is left.
ImageNumbers distinct_images(const std::array<ImageSet, 3>& sets, std::vector<std::string>& notes);

/// Notes how many images stand in two sets.
void note_equal_images(const std::array<ImageSet, 3>& sets, std::vector<std::string>& notes);

/// For each of the numbers the position of the first among them with an equal image.
std::vector<std::size_t> first_equals(const ImageSet& set,
                                      const std::vector<std::int64_t>& numbers);

}  // namespace zoo
