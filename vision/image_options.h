#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options.h"

namespace zoo {

/// How images are kept in files.
enum class ImageFormat { kFolder, kIdx, kCsv, kCifar10 };
inline EnumNames<ImageFormat> names_of(ImageFormat) {
  return {{"folder", ImageFormat::kFolder},
          {"idx", ImageFormat::kIdx},
          {"csv", ImageFormat::kCsv},
          {"cifar10", ImageFormat::kCifar10}};
}

/// What becomes of a file that is no image, or is one that is broken.
enum class BrokenImages { kRefuse, kSkip };
inline EnumNames<BrokenImages> names_of(BrokenImages) {
  return {{"refuse", BrokenImages::kRefuse}, {"skip", BrokenImages::kSkip}};
}

/// The data section of a config whose task is about images.
struct ImageOptions {
  std::string path;
  std::string train_path;
  std::string val_path;
  std::string test_path;
  ImageFormat format = ImageFormat::kFolder;
  double val_fraction = 0.1;
  double test_fraction = 0.0;
  bool deduplicate = true;
  std::int64_t split_seed = 1;
  std::optional<std::int64_t> train_images;
  std::optional<std::int64_t> height;
  std::optional<std::int64_t> width;
  std::optional<std::int64_t> channels;
  BrokenImages broken_images = BrokenImages::kRefuse;
  std::string labels_path;
  std::string train_labels_path;
  std::string val_labels_path;
  std::string test_labels_path;
  std::optional<std::int64_t> label_column;
  bool header = false;
  std::int64_t largest_value = 255;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("path", self.path, "The images that are split into train, val and test.");
    visit("train_path", self.train_path, "The training split, where the data comes already split.");
    visit("val_path", self.val_path,
          "The validation split that goes with train_path. Unset: val_fraction of the training "
          "split.");
    visit("test_path", self.test_path, "The test split that goes with train_path.");
    visit("format", self.format,
          "folder: PNG and JPEG files in a folder per class; idx: files of the MNIST family; csv: "
          "pixels and a label a line; cifar10: a folder of its binary batches, or one of them. idx "
          "and csv files may be gzipped.");
    visit("val_fraction", self.val_fraction,
          "Share of each class that becomes the validation split.", at_least(0).below(1));
    visit("test_fraction", self.test_fraction, "Share of each class that becomes the test split.",
          at_least(0).below(1));
    visit("deduplicate", self.deduplicate,
          "Keep each distinct image once, so that none stands in two splits; of given splits, in "
          "the one that is judged.");
    visit("split_seed", self.split_seed,
          "Seed of the order in which images are dealt to splits; the run's seed does not move "
          "them.",
          at_least(0));
    visit("train_images", self.train_images,
          "Images of the training split that are used, the same share of each class. Unset: all.",
          at_least(1));
    visit("height", self.height,
          "Rows that images of a folder are resized to, and rows of a csv's images. Unset: of a "
          "folder what all its images have, of a csv a square.",
          at_least(1).up_to(4096));
    visit("width", self.width, "Columns; see height.", at_least(1).up_to(4096));
    visit("channels", self.channels,
          "1: grey, 3: colour. Images of a folder are converted. Unset: what all of them have; of "
          "a csv 1.",
          at_least(1).up_to(3));
    visit("broken_images", self.broken_images,
          "What becomes of a file of a folder that is no whole PNG or JPEG of 8 bits: an error, or "
          "left out.");
    visit("labels_path", self.labels_path,
          "Labels of the idx images in path. Unset: its name with labels for images and idx1 for "
          "idx3.");
    visit("train_labels_path", self.train_labels_path, "Labels of train_path.");
    visit("val_labels_path", self.val_labels_path, "Labels of val_path.");
    visit("test_labels_path", self.test_labels_path, "Labels of test_path.");
    visit("label_column", self.label_column,
          "Column of a csv that holds the label, from 1. Unset: the last.", at_least(1));
    visit("header", self.header, "Whether the first line of a csv names columns.");
    visit("largest_value", self.largest_value,
          "What full brightness is in a csv; values are scaled to 255.", at_least(1).up_to(65535));
  }
  /// Throws ConfigError for options that belong to another format, or that contradict each other.
  void validate(const std::string& at) const;

  /// Every option that names data, with its name.
  std::vector<std::pair<const char*, std::string*>> paths();

  /// A short name of the data, for folders: the file's.
  std::string name() const;
};

}  // namespace zoo
