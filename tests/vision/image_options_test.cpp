#include "vision/image_options.h"

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using nlohmann::json;

std::string error_of(const json& object) {
  return message_of<ConfigError>([&] { read_options<ImageOptions>(object, "data"); });
}

std::string name_of_path(const std::string& path, const std::string& format,
                         const std::string& option = "path") {
  return read_options<ImageOptions>({{option, path}, {"format", format}}, "data").name();
}

constexpr const char* kFine = "(nothing was thrown)";

}  // namespace

TEST_CASE("images come from one path, or are already split") {
  CHECK(error_of({{"path", "a"}}) == kFine);
  CHECK(error_of({{"train_path", "a"}, {"val_path", "b"}, {"test_path", "c"}}) == kFine);
  CHECK(error_of(json::object()) ==
        "data.path: missing; set data.path (images that are split) or data.train_path");
  CHECK(error_of({{"path", "a"}, {"train_path", "b"}}) ==
        "data.path: data.path and data.train_path are both set; the data comes from one of them");
  CHECK_THAT(error_of({{"path", "a"}, {"val_path", "b"}}),
             ContainsSubstring("data.val_path: goes with data.train_path"));
  CHECK_THAT(error_of({{"path", "a"}, {"test_path", "b"}}),
             ContainsSubstring("data.test_path: goes with data.train_path"));
}

TEST_CASE("paths of labels go with idx images") {
  CHECK(error_of({{"path", "a"}, {"format", "idx"}, {"labels_path", "b"}}) == kFine);
  CHECK(error_of({{"path", "a"}, {"labels_path", "b"}}) ==
        "data.labels_path: needs format idx, format is folder");
  for (const auto* name : {"train_labels_path", "val_labels_path", "test_labels_path"}) {
    CHECK(error_of({{"path", "a"}, {"format", "idx"}, {name, "b"}}) ==
          text_of("data.", name, ": there is no file of images that it goes with"));
  }
}

TEST_CASE("options of one format are refused with another") {
  const std::pair<const char*, json> of_csv[] = {
      {"label_column", 1}, {"header", true}, {"largest_value", 16}};
  for (const auto& [name, value] : of_csv) {
    CHECK(error_of({{"path", "a"}, {"format", "csv"}, {name, value}}) == kFine);
    CHECK(error_of({{"path", "a"}, {"format", "idx"}, {name, value}}) ==
          text_of("data.", name, ": needs format csv, format is idx"));
  }
  CHECK(error_of({{"path", "a"}, {"broken_images", "skip"}}) == kFine);
  CHECK(error_of({{"path", "a"}, {"format", "csv"}, {"broken_images", "skip"}}) ==
        "data.broken_images: needs format folder, format is csv");
  for (const auto* format : {"idx", "cifar10"}) {
    CHECK(error_of({{"path", "a"}, {"format", format}, {"channels", 1}}) ==
          text_of("data.channels: needs format folder or csv, format is ", format));
    CHECK(error_of({{"path", "a"}, {"format", format}, {"height", 8}, {"width", 8}}) ==
          text_of("data.height: needs format folder or csv, format is ", format));
    CHECK(error_of({{"path", "a"}, {"format", format}, {"width", 8}}) ==
          text_of("data.width: needs format folder or csv, format is ", format));
  }
}

TEST_CASE("images have one or three channels, and height and width go together") {
  CHECK(error_of({{"path", "a"}, {"channels", 3}, {"height", 4}, {"width", 5}}) == kFine);
  CHECK(error_of({{"path", "a"}, {"channels", 2}}) ==
        "data.channels: 2; set 1 (grey) or 3 (colour)");
  CHECK(error_of({{"path", "a"}, {"height", 4}}) ==
        "data.width: missing; data.height and data.width go together");
  CHECK(error_of({{"path", "a"}, {"width", 4}}) ==
        "data.height: missing; data.height and data.width go together");
}

TEST_CASE("fractions leave something for train, and cut path only") {
  CHECK(error_of({{"path", "a"}, {"val_fraction", 0.5}, {"test_fraction", 0.4}}) == kFine);
  CHECK(error_of({{"path", "a"}, {"val_fraction", 0.5}, {"test_fraction", 0.5}}) ==
        "data.val_fraction: 0.5 and test_fraction 0.5 leave nothing for train; their sum must be "
        "below 1");
  CHECK(error_of({{"train_path", "a"}, {"val_fraction", 0.2}}) == kFine);
  CHECK(error_of({{"train_path", "a"}, {"test_fraction", 0.2}}) ==
        "data.test_fraction: 0.2; it cuts data.path, and images already split bring their test "
        "split in data.test_path");
}

TEST_CASE("the data is named after its folder or file") {
  CHECK(name_of_path("data/digits", "folder") == "digits");
  CHECK(name_of_path("data/digits.v2/", "folder") == "digits.v2");
  CHECK(name_of_path("digits/train", "folder", "train_path") == "digits");
  CHECK(name_of_path("train", "folder", "train_path") == "train");
  CHECK(name_of_path("../train", "folder", "train_path") == "train");
  CHECK(name_of_path("mnist/train-images-idx3-ubyte.gz", "idx", "train_path") == "mnist");
  CHECK(name_of_path("mnist/train-images.idx3-ubyte", "idx") == "mnist");
  CHECK(name_of_path("train-images-idx3-ubyte", "idx") == "train-images");
  CHECK(name_of_path("x/letters-images-idx3-ubyte", "idx") == "letters-images");
  CHECK(name_of_path("data/digits.csv.gz", "csv") == "digits");
  CHECK(name_of_path("digits/train.csv", "csv", "train_path") == "digits");
  CHECK(name_of_path("cifar-10-batches-bin", "cifar10") == "cifar-10-batches-bin");
  CHECK(name_of_path("c/data_batch_1.bin", "cifar10") == "data_batch_1");
}

TEST_CASE("every option that names data is among the paths") {
  ImageOptions options;
  std::vector<std::string> names;
  for (const auto& [name, value] : options.paths()) {
    names.emplace_back(name);
    *value = name;
  }
  CHECK(names.size() == 8);
  const auto written = write_options(options);
  for (const auto& info : describe_options<ImageOptions>()) {
    if (info.name.ends_with("path")) CHECK(written.at(info.name) == info.name);
  }
}

}  // namespace zoo
