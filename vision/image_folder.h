#pragma once

#include <string>

#include "vision/image_options.h"
#include "vision/image_set.h"

namespace zoo {

/// The PNG and JPEG files of a folder per class, which `option` names, class by class in the order
/// of their names; only what `transform` makes of them is kept. Adds to the sources' files and
/// notes. Throws UserError: no such folder, folders below a class, images without a class, a class
/// without images, images of different sizes or kinds, and broken ones unless they are skipped.
ImageSet read_image_folder(const std::string& option, const std::string& path,
                           const ImageOptions& options, const ImageTransform& transform,
                           ImageSources& sources);

}  // namespace zoo
