#include "vision/cifar10_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "core/errors.h"
#include "core/files.h"
#include "vision/data_file.h"
#include "vision/folder_hash.h"
#include "vision/formats/cifar10.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNamesFile = "batches.meta.txt";
constexpr const char* kTestFile = "test_batch.bin";

/// The classes as their file in the folder names them, or 0 to 9; `hash` may be null.
std::vector<std::string> class_names(const fs::path& folder, FolderHash* hash) {
  std::vector<std::string> names;
  const auto path = (folder / kNamesFile).string();
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    const auto text = read_file(path);
    if (hash != nullptr) hash->add(kNamesFile, text);
    const auto read = parse_cifar10_names(text, path);
    names.assign(read.begin(), read.end());
  } else {
    for (std::int64_t i = 0; i < kCifar10Classes; ++i) names.push_back(std::to_string(i));
  }
  return names;
}

void add_batch(ImageSet& set, const Cifar10Batch& batch, const std::string& path) {
  auto& images = set.images;
  set.size = kCifar10Size;
  const auto file = static_cast<std::int32_t>(images.files.size());
  images.files.push_back(path);
  for (std::size_t i = 0; i < batch.labels.size(); ++i) {
    images.labels.push_back(batch.labels[i]);
    images.file_of.push_back(file);
    images.number_in_file.push_back(static_cast<std::int64_t>(i) + 1);
    images.pixels.insert(images.pixels.end(), batch.images[i].begin(), batch.images[i].end());
  }
}

/// Leaves those names that a label has.
void drop_unused_names(ImageSet& set) {
  LabelNumbers numbers;
  for (auto& label : set.images.labels) {
    label = numbers.of(set.names[static_cast<std::size_t>(label)]);
  }
  set.names = std::move(numbers.names());
}

/// The batches for training, sorted.
std::vector<std::string> training_batches(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const auto name = entry->path().filename().string();
    if (name.starts_with("data_batch_") && name.ends_with(".bin")) names.push_back(name);
  }
  require<UserError>(!error, "cannot read the folder ", folder.string(), ": ", error.message());
  require<UserError>(!names.empty(), folder.string(),
                     ": no data_batch_*.bin in it; expected the folder of CIFAR-10's binary "
                     "version (cifar-10-batches-bin)");
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

ImageSet read_cifar10_file(const std::string& option, const std::string& path,
                           ImageSources& sources) {
  std::error_code error;
  require<UserError>(!fs::is_directory(path, error), path,
                     ": a folder; data.path reads the folder of CIFAR-10's files, data.", option,
                     " one of them");
  const DataFile file(option, path);
  ImageSet set;
  set.option = option;
  set.path = path;
  set.names = class_names(fs::path(path).parent_path(), nullptr);
  add_batch(set, parse_cifar10(file.bytes(), path), path);
  drop_unused_names(set);
  sources.files.push_back(file.source());
  return set;
}

void read_cifar10_folder(const ImageOptions& options, ImageSources& sources) {
  const fs::path folder(options.path);
  auto files = training_batches(folder);
  std::error_code error;
  const bool has_test = fs::exists(folder / kTestFile, error);
  require<UserError>(!has_test || options.test_fraction == 0,
                     "data.test_fraction: ", options.test_fraction, "; ",
                     (folder / kTestFile).string(), " is the test split, so set it to 0");
  if (has_test) files.emplace_back(kTestFile);
  FolderHash hash;
  const auto names = class_names(folder, &hash);
  std::int64_t bytes = 0;
  for (const auto& name : files) {
    const auto path = (folder / name).string();
    const DataFile file("path", path);
    hash.add(name, file.bytes());
    bytes += static_cast<std::int64_t>(file.bytes().size());
    require<UserError>(bytes <= kMostSetBytes, options.path, ": more than ", kMostSetBytes,
                       " bytes, the most that are held");
    auto& set = sources.sets[name == kTestFile ? kTest : kTrain];
    add_batch(set, parse_cifar10(file.bytes(), path), path);
  }
  for (const auto split : {kTrain, kTest}) {
    auto& set = sources.sets[split];
    set.option = "path";
    set.path = split == kTest ? (folder / kTestFile).string() : options.path;
    set.names = names;
    drop_unused_names(set);
  }
  sources.files.push_back(hash.finish("path", options.path));
}

}  // namespace zoo
