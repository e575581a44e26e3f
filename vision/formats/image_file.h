#pragma once

#include <string>
#include <string_view>

#include "vision/image.h"

namespace zoo {

/// The image in a PNG or JPEG file, which one its first bytes tell. Throws UserError as decode_png
/// and decode_jpeg do, and for other bytes, naming the format where it is a known one.
Image decode_image(std::string_view bytes, const std::string& source);

}  // namespace zoo
