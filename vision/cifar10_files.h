#pragma once

#include <string>

#include "vision/image_options.h"
#include "vision/image_set.h"

namespace zoo {

/// The images of one file of CIFAR-10's binary version. Its classes have the names that
/// batches.meta.txt beside it gives them, or else 0 to 9. Adds to the sources' files.
ImageSet read_cifar10_file(const std::string& option, const std::string& path,
                           ImageSources& sources);

/// The images of a folder with data_batch_*.bin, which are train, and test_batch.bin, which is the
/// test split where it is there. Throws UserError: no such files, test_fraction where the test
/// split is given.
void read_cifar10_folder(const ImageOptions& options, ImageSources& sources);

}  // namespace zoo
