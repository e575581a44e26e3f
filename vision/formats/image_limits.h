#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace zoo {

inline constexpr std::int64_t kLongestSide = 16'384;
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;  ///< height * width

/// Bytes of pixels that are made room for on a file's word alone; of what says that it is larger,
/// all is decoded once before any is kept.
inline constexpr std::size_t kMostUnseen = std::size_t{1} << 24;

/// Throws UserError for an image that is larger than any that is read, or that has no pixel: before
/// anything of it is decoded.
void require_image_size(std::int64_t height, std::int64_t width, const std::string& source);

}  // namespace zoo
