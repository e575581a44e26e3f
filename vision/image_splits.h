#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vision/image_duplicates.h"
#include "vision/image_options.h"
#include "vision/image_set.h"

namespace zoo {

/// Shares of each class that leave train.
struct SplitShares {
  double val = 0;
  double test = 0;
};

/// Deals images of the set, whose labels are classes, to train, val and test: of each class the
/// shares, rounded, in an order that `seed` and the class fix, one image of it staying in train
/// whatever they say. Equal images go together. Notes name classes too small for a split. Throws
/// UserError for a split that is asked for and gets nothing.
ImageNumbers deal_images(const ImageSet& set, const std::vector<std::int64_t>& numbers,
                         const std::vector<std::string>& classes, const SplitShares& shares,
                         std::int64_t seed, std::vector<std::string>& notes);

/// So many of the images: the same share of each class, rounded by largest remainder, one of each
/// at least, in an order that `seed` and the class fix. Throws UserError when there are fewer, and
/// when there are more classes.
std::vector<std::int64_t> sample_images(const ImageSet& set,
                                        const std::vector<std::int64_t>& numbers,
                                        std::size_t classes, std::int64_t count, std::int64_t seed);

}  // namespace zoo
