#pragma once

#include <string>

#include "vision/image_options.h"
#include "vision/image_set.h"

namespace zoo {

/// The images of an idx file with their labels, which stand in `labels_path`, or in the file beside
/// it of the same name with labels for images and idx1 for idx3. Adds to the sources' files. Throws
/// UserError: another shape than [N, H, W] or [N, C, H, W], another number of labels.
ImageSet read_idx_images(const std::string& option, const std::string& path,
                         const std::string& labels_path, ImageSources& sources);

/// The images of a csv file. Adds to the sources' files and notes. Throws UserError as
/// parse_pixel_table does, and where the pixels of a row do not make the image that the options
/// say.
ImageSet read_csv_images(const std::string& option, const std::string& path,
                         const ImageOptions& options, ImageSources& sources);

}  // namespace zoo
