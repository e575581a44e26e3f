#pragma once

#include <string>
#include <string_view>

#include "vision/image.h"

namespace zoo {

inline constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1A\n";

/// The image in a PNG file. Grey has one channel, everything else three; grey of 1, 2 and 4 bits,
/// palettes and interlaced images are expanded, transparency is laid over white, gamma and colour
/// profiles are ignored. Throws UserError: broken, cut short, animated, 16 bits a channel, too
/// large.
Image decode_png(std::string_view bytes, const std::string& source);

/// The image as a PNG file of 8 bits a channel. Throws ShapeError unless it has 1 or 3 channels and
/// a pixel for each place.
std::string encode_png(const Image& image);

}  // namespace zoo
