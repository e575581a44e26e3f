#include "vision/formats/image_limits.h"

#include "core/errors.h"

namespace zoo {

void require_image_size(std::int64_t height, std::int64_t width, const std::string& source) {
  require<UserError>(height > 0 && width > 0, source, ": an image of ", height, " x ", width,
                     " pixels; it needs one pixel at least");
  require<UserError>(
      height <= kLongestSide && width <= kLongestSide && height * width <= kMostPixels, source,
      ": an image of ", height, " x ", width, " pixels; sides of at most ", kLongestSide, " and ",
      kMostPixels, " pixels are read, so make it smaller first");
}

}  // namespace zoo
