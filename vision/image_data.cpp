#include "vision/image_data.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/errors.h"
#include "core/split_names.h"
#include "vision/class_names.h"
#include "vision/image_duplicates.h"
#include "vision/image_reader.h"
#include "vision/image_set.h"
#include "vision/image_splits.h"
#include "vision/transforms.h"

namespace zoo {
namespace {

ImageTransform transform_of(const ImageOptions& options) {
  if (options.format != ImageFormat::kFolder) return {};
  return [options](Image image) {
    if (options.channels && image.size.channels != *options.channels) {
      image = with_channels(image, *options.channels);
    }
    const bool fits = !options.height ||
                      (image.size.height == *options.height && image.size.width == *options.width);
    return fits ? std::move(image) : resized(image, *options.height, *options.width);
  };
}

/// Makes the labels of all sets those of train's classes.
std::vector<std::string> number_classes(std::array<ImageSet, 3>& sets) {
  auto classes = sets[kTrain].names;
  sort_class_names(classes);
  require<UserError>(classes.size() > 1, sets[kTrain].path, ": all images are of one class, ",
                     classes.front(), "; to tell classes apart it needs two");
  std::unordered_map<std::string, std::int32_t> numbers;
  for (const auto& name : classes) numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  for (auto& set : sets) {
    for (std::int64_t i = 0; i < set.images.size(); ++i) {
      auto& label = set.images.labels[static_cast<std::size_t>(i)];
      const auto& name = set.names[static_cast<std::size_t>(label)];
      const auto known = numbers.find(name);
      require<UserError>(known != numbers.end(), set.images.place_of(i), ": class ", name,
                         " has no image in the training split (", sets[kTrain].path,
                         "); add some there, or remove these");
      label = known->second;
    }
    set.names = classes;
  }
  return classes;
}

/// Equal images may have taken all that a class had.
void require_classes(const ImageSet& set, const std::vector<std::int64_t>& numbers) {
  std::vector<bool> there(set.names.size());
  for (const auto image : numbers) {
    there[static_cast<std::size_t>(set.images.labels[static_cast<std::size_t>(image)])] = true;
  }
  const auto lost = std::find(there.begin(), there.end(), false);
  if (lost == there.end()) return;
  throw UserError(text_of(set.path, ": class ",
                          set.names[static_cast<std::size_t>(lost - there.begin())],
                          " has no image left in train: each is equal to one of another class or "
                          "split; remove those that are wrong"));
}

/// The images of each split, by their numbers in the set that is given for it, or else in train's.
ImageNumbers split_images(const std::array<ImageSet, 3>& sets, const ImageOptions& options,
                          std::vector<std::string>& notes) {
  if (!options.deduplicate) note_equal_images(sets, notes);
  auto numbers = options.deduplicate ? distinct_images(sets, notes) : all_images(sets);
  const auto& train = sets[kTrain];
  require_classes(train, numbers[kTrain]);
  const bool has_val = !sets[kVal].images.empty(), has_test = !sets[kTest].images.empty();
  const SplitShares shares{has_val ? 0 : options.val_fraction,
                           has_test ? 0 : options.test_fraction};
  auto dealt = deal_images(train, numbers[kTrain], train.names, shares, options.split_seed, notes);
  require_classes(train, dealt[kTrain]);
  if (options.train_images) {
    dealt[kTrain] = sample_images(train, dealt[kTrain], train.names.size(), *options.train_images,
                                  options.split_seed);
  }
  if (has_val) dealt[kVal] = std::move(numbers[kVal]);
  if (has_test) dealt[kTest] = std::move(numbers[kTest]);
  return dealt;
}

/// Those images of a set, with the files that they came from.
ImageSplit taken(const ImageSet& set, const std::vector<std::int64_t>& numbers, const char* name) {
  const auto& from = set.images;
  ImageSplit split;
  split.name = name;
  split.unit = from.unit;
  split.pixels.reserve(numbers.size() * static_cast<std::size_t>(set.size.pixels()));
  std::vector<std::int32_t> new_files(from.files.size(), -1);
  for (const auto image : numbers) {
    const auto i = static_cast<std::size_t>(image);
    const auto file = static_cast<std::size_t>(from.file_of[i]);
    if (new_files[file] < 0) {
      new_files[file] = static_cast<std::int32_t>(split.files.size());
      split.files.push_back(from.files[file]);
    }
    const auto pixels = set.pixels_of(image);
    split.pixels.insert(split.pixels.end(), pixels.begin(), pixels.end());
    split.labels.push_back(from.labels[i]);
    split.file_of.push_back(new_files[file]);
    split.number_in_file.push_back(from.number_in_file[i]);
  }
  return split;
}

}  // namespace

std::string ImageSplit::place_of(std::int64_t image) const {
  const auto i = static_cast<std::size_t>(image);
  const auto& file = files[static_cast<std::size_t>(file_of[i])];
  return number_in_file[i] == 0 ? file : text_of(file, ", ", unit, " ", number_in_file[i]);
}

const ImageSplit& ImageData::split(const std::string& name) const {
  return split_named<ImageSplit>(name, {&train, &val, &test});
}

ImageData load_image_data(const ImageOptions& options) {
  options.validate("data");
  auto sources = read_image_sources(options, transform_of(options));
  auto& sets = sources.sets;
  ImageData data;
  data.size = sets[kTrain].size;
  data.classes = number_classes(sets);
  data.files = std::move(sources.files);
  data.notes = std::move(sources.notes);
  const auto numbers = split_images(sets, options, data.notes);
  const auto take = [&](std::size_t split) {
    const bool given = !sets[split].images.empty();
    return taken(sets[given ? split : kTrain], numbers[split], kSplitNames[split]);
  };
  data.val = take(kVal);
  data.test = take(kTest);
  data.train = take(kTrain);
  return data;
}

}  // namespace zoo
