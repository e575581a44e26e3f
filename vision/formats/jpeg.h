#pragma once

#include <string>
#include <string_view>

#include "vision/image.h"

namespace zoo {

inline constexpr std::string_view kJpegSignature = "\xFF\xD8\xFF";

/// The image in a JPEG file: grey with one channel, colour with three. What EXIF says of its
/// orientation and its colour profile are ignored. Throws UserError: broken in any way, cut short,
/// CMYK, arithmetic coding, not 8 bits a channel, too large.
Image decode_jpeg(std::string_view bytes, const std::string& source);

}  // namespace zoo
