#pragma once

#include "vision/image_options.h"
#include "vision/image_set.h"

namespace zoo {

/// Reads all that the options name (paths as they are), one set for each that they name. Throws
/// UserError as the readers of the formats do, and for sets whose images differ in size.
ImageSources read_image_sources(const ImageOptions& options, const ImageTransform& transform);

}  // namespace zoo
