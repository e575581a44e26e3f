#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "vision/image.h"

namespace zoo {

inline constexpr ImageSize kCifar10Size = {3, 32, 32};
inline constexpr std::int64_t kCifar10Classes = 10;

struct Cifar10Batch {
  std::vector<std::uint8_t> labels;      ///< 0 .. 9
  std::vector<std::string_view> images;  ///< [3, 32, 32], parts of the bytes they were read from
};

/// A file of CIFAR-10's binary version: records of a label and the pixels. Throws UserError for
/// another size than whole records, none at all, and a label above 9.
Cifar10Batch parse_cifar10(std::string_view bytes, const std::string& source);

/// The names of the classes, ten lines of batches.meta.txt. Throws UserError for another number of
/// them, and for two that are equal.
std::array<std::string, kCifar10Classes> parse_cifar10_names(std::string_view text,
                                                             const std::string& source);

}  // namespace zoo
