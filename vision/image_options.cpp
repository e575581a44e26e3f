#include "vision/image_options.h"

#include <algorithm>
#include <filesystem>

#include "core/errors.h"
#include "core/names.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Either path or train_path says where the data is.
void check_origin(const ImageOptions& options, const std::string& at) {
  const bool whole = !options.path.empty(), split = !options.train_path.empty();
  require<ConfigError>(whole || split, at, ".path: missing; set ", at,
                       ".path (images that are split) or ", at, ".train_path");
  require<ConfigError>(!whole || !split, at, ".path: ", at, ".path and ", at,
                       ".train_path are both set; the data comes from one of them");
  const bool other_splits = !(options.val_path + options.test_path).empty();
  require<ConfigError>(!other_splits || split, at, ".",
                       options.val_path.empty() ? "test_path" : "val_path", ": goes with ", at,
                       ".train_path; images that are split, or images already split, not both");
}

void check_labels(const ImageOptions& options, const std::string& at) {
  const std::pair<const char*, std::pair<const std::string*, const std::string*>> labels[] = {
      {"labels_path", {&options.labels_path, &options.path}},
      {"train_labels_path", {&options.train_labels_path, &options.train_path}},
      {"val_labels_path", {&options.val_labels_path, &options.val_path}},
      {"test_labels_path", {&options.test_labels_path, &options.test_path}}};
  for (const auto& [name, paths] : labels) {
    if (paths.first->empty()) continue;
    require<ConfigError>(options.format == ImageFormat::kIdx, at, ".", name,
                         ": needs format idx, format is ", name_of(options.format));
    require<ConfigError>(!paths.second->empty(), at, ".", name,
                         ": there is no file of images that it goes with");
  }
}

/// Options that belong to one format are refused where they would have no effect.
void check_format(const ImageOptions& options, const std::string& at) {
  const auto needs = [&](bool set, const char* name, const std::vector<ImageFormat>& formats) {
    const bool fits = std::find(formats.begin(), formats.end(), options.format) != formats.end();
    std::vector<std::string> names;
    for (const auto format : formats) names.push_back(name_of(format));
    require<ConfigError>(!set || fits, at, ".", name, ": needs format ", join(names, " or "),
                         ", format is ", name_of(options.format));
  };
  needs(options.label_column.has_value(), "label_column", {ImageFormat::kCsv});
  needs(options.header, "header", {ImageFormat::kCsv});
  needs(options.largest_value != ImageOptions().largest_value, "largest_value",
        {ImageFormat::kCsv});
  needs(options.broken_images != BrokenImages::kRefuse, "broken_images", {ImageFormat::kFolder});
  needs(options.height.has_value(), "height", {ImageFormat::kFolder, ImageFormat::kCsv});
  needs(options.width.has_value(), "width", {ImageFormat::kFolder, ImageFormat::kCsv});
  needs(options.channels.has_value(), "channels", {ImageFormat::kFolder, ImageFormat::kCsv});
}

void check_size(const ImageOptions& options, const std::string& at) {
  require<ConfigError>(options.channels != 2, at, ".channels: 2; set 1 (grey) or 3 (colour)");
  require<ConfigError>(options.height.has_value() == options.width.has_value(), at, ".",
                       options.height ? "width" : "height", ": missing; ", at, ".height and ", at,
                       ".width go together");
}

void remove_ending(std::string& name, const std::string& ending) {
  if (name.size() > ending.size() && name.ends_with(ending)) {
    name.resize(name.size() - ending.size());
  }
}

/// Whether a name tells which part of a data set it is, and not which data set.
bool names_a_part(const std::string& name) {
  return name == "train" || name == "training" || name == "images" || name == "train-images" ||
         name == "t10k-images";
}

}  // namespace

std::vector<std::pair<const char*, std::string*>> ImageOptions::paths() {
  return {{"path", &path},
          {"train_path", &train_path},
          {"val_path", &val_path},
          {"test_path", &test_path},
          {"labels_path", &labels_path},
          {"train_labels_path", &train_labels_path},
          {"val_labels_path", &val_labels_path},
          {"test_labels_path", &test_labels_path}};
}

std::string ImageOptions::name() const {
  auto file = fs::path(path.empty() ? train_path : path).lexically_normal();
  if (!file.has_filename()) file = file.parent_path();  // it ended with a slash
  auto stem = file.filename().string();
  if (format != ImageFormat::kFolder) {
    remove_ending(stem, ".gz");
    for (const auto* ending :
         {".csv", ".tsv", ".txt", ".bin", ".idx", "-ubyte", ".idx3", "-idx3"}) {
      remove_ending(stem, ending);
    }
  }
  const auto parent = file.parent_path().filename().string();
  return names_a_part(stem) && !parent.empty() && parent != "." && parent != ".." ? parent : stem;
}

void ImageOptions::validate(const std::string& at) const {
  check_origin(*this, at);
  check_labels(*this, at);
  check_format(*this, at);
  check_size(*this, at);
  require<ConfigError>(val_fraction + test_fraction < 1, at, ".val_fraction: ", val_fraction,
                       " and test_fraction ", test_fraction, " leave nothing for train; their sum ",
                       "must be below 1");
  require<ConfigError>(
      test_fraction == 0 || train_path.empty(), at, ".test_fraction: ", test_fraction, "; it cuts ",
      at, ".path, and images already split bring ", "their test split in ", at, ".test_path");
}

}  // namespace zoo
