#include "vision/image_files.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <utility>

#include "core/errors.h"
#include "vision/data_file.h"
#include "vision/formats/idx.h"
#include "vision/formats/image_limits.h"
#include "vision/formats/pixel_table.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

bool replace_last(std::string& text, const std::string& what, const std::string& by) {
  const auto at = text.rfind(what);
  if (at == std::string::npos) return false;
  text.replace(at, what.size(), by);
  return true;
}

/// The option that names the labels of what `option` names.
std::string labels_option(const std::string& option) {
  return option.substr(0, option.rfind("path")) + "labels_path";
}

/// Where the labels of idx images lie that no option names.
std::string labels_beside(const std::string& option, const std::string& path) {
  const auto images = fs::path(path);
  auto name = images.filename().string();
  const bool derived = replace_last(name, "images", "labels");
  require<UserError>(derived, path, ": its labels are not known; set data.", labels_option(option),
                     " (unset, it is the name of the images with labels for images)");
  replace_last(name, "idx3", "idx1");
  const auto beside = (images.parent_path() / name).string();
  std::error_code error;
  require<UserError>(fs::exists(beside, error), beside, ": there is no such file, which would ",
                     "have the labels of ", path, "; set data.", labels_option(option));
  return beside;
}

ImageSize idx_image_size(const IdxArray& array, const std::string& path) {
  const auto& sizes = array.sizes;
  require<UserError>(sizes.size() >= 3, path, ": an idx array of ", sizes.size(),
                     " dimensions; images have 3 (number, height, width) or 4 (number, channels, "
                     "height, width), so is this the file of labels?");
  const ImageSize size{sizes.size() == 4 ? sizes[1] : 1, sizes[sizes.size() - 2], sizes.back()};
  require<UserError>(size.channels == 1 || size.channels == 3, path, ": images of ", size.channels,
                     " channels; 1 (grey) and 3 (colour, [N, 3, H, W]) are read");
  require<UserError>(sizes.front() > 0, path, ": there is no image in it");
  require_image_size(size.height, size.width, path);
  require_set_bytes(sizes.front(), size, path);
  return size;
}

/// What all images of one file have in common.
ImageSet images_of_file(const std::string& option, const std::string& path, std::int64_t count) {
  ImageSet set;
  set.option = option;
  set.path = path;
  set.images.files = {path};
  set.images.file_of.assign(static_cast<std::size_t>(count), 0);
  return set;
}

void add_idx_labels(ImageSet& set, const std::string& labels_path, ImageSources& sources) {
  const auto labels = labels_path.empty() ? labels_beside(set.option, set.path) : labels_path;
  const DataFile file(labels_option(set.option), labels);
  const auto array = parse_idx(file.bytes(), labels);
  require<UserError>(array.sizes.size() == 1, labels, ": an idx array of ", array.sizes.size(),
                     " dimensions; labels have 1");
  const auto count = set.images.file_of.size();
  require<UserError>(array.values.size() == count, set.path, " has ", count, " images, ", labels,
                     " has ", array.values.size(), " labels; they need the same number");
  sources.files.push_back(file.source());
  LabelNumbers numbers;
  for (std::size_t i = 0; i < count; ++i) {
    set.images.labels.push_back(
        numbers.of(std::to_string(static_cast<unsigned char>(array.values[i]))));
    set.images.number_in_file.push_back(static_cast<std::int64_t>(i) + 1);
  }
  set.names = std::move(numbers.names());
}

/// A square unless the options say otherwise.
ImageSize csv_image_size(const ImageOptions& options, std::int64_t pixels,
                         const std::string& path) {
  const auto channels = options.channels.value_or(1);
  const auto side =
      std::llround(std::sqrt(static_cast<double>(pixels) / static_cast<double>(channels)));
  const ImageSize size{channels, options.height.value_or(side), options.width.value_or(side)};
  require<UserError>(
      size.pixels() == pixels, path, ": ", pixels, " pixels a line; ",
      options.height
          ? text_of("data.height and data.width make ", size.pixels(), " (", channels, " x ",
                    size.height, " x ", size.width, ")")
          : text_of("not a square of ", channels, channels == 1 ? " channel" : " channels",
                    ", so set data.height and data.width"));
  require_image_size(size.height, size.width, path);
  return size;
}

}  // namespace

ImageSet read_idx_images(const std::string& option, const std::string& path,
                         const std::string& labels_path, ImageSources& sources) {
  const DataFile file(option, path);
  const auto array = parse_idx(file.bytes(), path);
  const auto size = idx_image_size(array, path);
  auto set = images_of_file(option, path, array.sizes.front());
  set.size = size;
  sources.files.push_back(file.source());
  add_idx_labels(set, labels_path, sources);
  set.images.pixels.assign(array.values.begin(), array.values.end());
  return set;
}

ImageSet read_csv_images(const std::string& option, const std::string& path,
                         const ImageOptions& options, ImageSources& sources) {
  const DataFile file(option, path);
  auto table = parse_pixel_table(file.bytes(), path,
                                 {options.label_column, options.header, options.largest_value});
  require<UserError>(!table.labels.empty(), path, ": there is no line with an image");
  auto set = images_of_file(option, path, static_cast<std::int64_t>(table.labels.size()));
  set.size = csv_image_size(options, table.pixels_a_row, path);
  require_set_bytes(static_cast<std::int64_t>(table.labels.size()), set.size, path);
  LabelNumbers numbers;
  for (const auto& label : table.labels) set.images.labels.push_back(numbers.of(label));
  set.names = std::move(numbers.names());
  set.images.pixels = std::move(table.pixels);
  set.images.number_in_file = std::move(table.lines);
  set.images.unit = "line";
  sources.files.push_back(file.source());
  if (table.empty_lines > 0) {
    sources.notes.push_back(text_of(path, ": ", table.empty_lines, " empty lines were skipped."));
  }
  return set;
}

}  // namespace zoo
