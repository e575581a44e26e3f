#include "vision/image_reader.h"

#include <filesystem>

#include "core/errors.h"
#include "vision/cifar10_files.h"
#include "vision/image_files.h"
#include "vision/image_folder.h"

namespace zoo {
namespace {

/// An option that names images, its value, and that of the option for their labels.
struct NamedImages {
  std::size_t split;
  const char* option;
  const std::string& path;
  const std::string& labels_path;
};

ImageSet read_images(const NamedImages& named, const ImageOptions& options,
                     const ImageTransform& transform, ImageSources& sources) {
  switch (options.format) {
    case ImageFormat::kIdx:
      return read_idx_images(named.option, named.path, named.labels_path, sources);
    case ImageFormat::kCsv:
      return read_csv_images(named.option, named.path, options, sources);
    case ImageFormat::kCifar10:
      return read_cifar10_file(named.option, named.path, sources);
    case ImageFormat::kFolder:
      break;
  }
  return read_image_folder(named.option, named.path, options, transform, sources);
}

void require_one_size(const ImageSources& sources, const ImageOptions& options) {
  const auto& train = sources.sets[kTrain];
  const auto shown = [](const ImageSize& size) {
    return text_of(size.channels, " x ", size.height, " x ", size.width);
  };
  for (const auto split : {kVal, kTest}) {
    const auto& set = sources.sets[split];
    require<UserError>(
        set.images.empty() || set.size == train.size, train.path, " has images of ",
        shown(train.size), ", ", set.path, " of ", shown(set.size), " (channels, height, width); ",
        options.format == ImageFormat::kFolder ? "set data.height and data.width, or data.channels"
                                               : "the splits of one data set have one size");
  }
}

}  // namespace

ImageSources read_image_sources(const ImageOptions& options, const ImageTransform& transform) {
  ImageSources sources;
  std::error_code error;
  if (options.format == ImageFormat::kCifar10 &&
      std::filesystem::is_directory(options.path, error)) {
    read_cifar10_folder(options, sources);
    return sources;
  }
  const NamedImages all[] = {{kTrain, "path", options.path, options.labels_path},
                             {kTrain, "train_path", options.train_path, options.train_labels_path},
                             {kVal, "val_path", options.val_path, options.val_labels_path},
                             {kTest, "test_path", options.test_path, options.test_labels_path}};
  for (const auto& named : all) {
    if (named.path.empty()) continue;
    sources.sets[named.split] = read_images(named, options, transform, sources);
  }
  require_one_size(sources, options);
  return sources;
}

}  // namespace zoo
