#include <filesystem>
#include <utility>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "vision/image_data.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Texts = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;
using Pixels = std::vector<std::uint8_t>;

constexpr const char* kNames =
    "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";

/// Files in a folder, and options that name them.
class ImageFiles {
 public:
  explicit ImageFiles(ImageFormat format) {
    options.format = format;
    options.val_fraction = 0;
  }

  std::string add(const std::string& name, const std::string& bytes) const {
    const auto path = folder_ / name;
    make_folders(path.parent_path());
    replace_file(path, bytes);
    return path.string();
  }

  ImageData load() const { return load_image_data(options); }
  std::string error() const {
    return message_of<UserError>([&] { load(); });
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  ImageOptions options;

 private:
  TemporaryFolder folder_;
};

std::string record(char label, char pixel) { return label + std::string(3072, pixel); }

}  // namespace

TEST_CASE("idx images have the labels of the file beside them, gzipped or not") {
  const auto images = idx_file({3, 1, 2}, "abcdef"), labels = idx_file({3}, "\x0A\x02\x0A");
  for (const std::string ending : {"", ".gz"}) {
    ImageFiles files(ImageFormat::kIdx);
    const auto packed = [&](const std::string& bytes) {
      return ending.empty() ? bytes : gzip_file(bytes);
    };
    files.options.path = files.add("train-images-idx3-ubyte" + ending, packed(images));
    const auto beside = files.add("train-labels-idx1-ubyte" + ending, packed(labels));
    const auto data = files.load();
    CHECK(data.size == ImageSize{1, 1, 2});
    CHECK(data.classes == Texts{"2", "10"});
    CHECK(data.train.labels == Labels{1, 0, 1});
    CHECK(data.train.pixels == Pixels{'a', 'b', 'c', 'd', 'e', 'f'});
    CHECK(data.train.place_of(2) == files.options.path + ", image 3");
    REQUIRE(data.files.size() == 2);
    CHECK(data.files[0].option == "path");
    CHECK(data.files[0].sha256 == sha256(packed(images)));
    CHECK(data.files[1].option == "labels_path");
    CHECK(data.files[1].path == beside);
    CHECK(data.files[1].bytes == static_cast<std::int64_t>(packed(labels).size()));
  }
}

TEST_CASE("idx images of three channels are read") {
  ImageFiles files(ImageFormat::kIdx);
  files.options.path = files.add("a", idx_file({2, 3, 1, 1}, "abcdef"));
  files.options.labels_path = files.add("b", idx_file({2}, "\x01\x02"));
  CHECK(files.load().size == ImageSize{3, 1, 1});
}

TEST_CASE("labels of idx images that are not found are said to be so") {
  ImageFiles files(ImageFormat::kIdx);
  files.options.path = files.add("digits", idx_file({2, 1, 1}, "ab"));
  CHECK(files.error() == files.path("digits") +
                             ": its labels are not known; set data.labels_path (unset, it is the "
                             "name of the images with labels for images)");
  files.options.train_path = files.add("images/train-images.idx3-ubyte", idx_file({2, 1, 1}, "ab"));
  files.options.path = "";
  CHECK(files.error() == files.path("images/train-labels.idx1-ubyte") +
                             ": there is no such file, which would have the labels of " +
                             files.options.train_path + "; set data.train_labels_path");
}

TEST_CASE("idx files that do not go together are refused") {
  ImageFiles files(ImageFormat::kIdx);
  files.options.path = files.add("a", idx_file({2, 1, 1}, "ab"));
  files.options.labels_path = files.add("b", idx_file({3}, "\x01\x02\x03"));
  CHECK(files.error() == files.path("a") + " has 2 images, " + files.path("b") +
                             " has 3 labels; they need the same number");
  files.add("b", idx_file({2, 1, 1}, "ab"));
  CHECK(files.error() == files.path("b") + ": an idx array of 3 dimensions; labels have 1");
  files.add("a", idx_file({2}, "ab"));
  CHECK_THAT(files.error(), ContainsSubstring("a: an idx array of 1 dimensions; images have 3"));
  files.add("a", idx_file({1, 2, 1, 3}, "abcdef"));
  CHECK_THAT(files.error(), ContainsSubstring("a: images of 2 channels; 1 (grey) and 3 (colour"));
  files.add("a", idx_file({0, 28, 28}, ""));
  CHECK_THAT(files.error(), ContainsSubstring("a: there is no image in it"));
  files.add("a", idx_file({4, 0, 28}, ""));
  CHECK_THAT(files.error(), ContainsSubstring("an image of 0 x 28 pixels"));
}

TEST_CASE("files that are missing, empty, a folder or broken are refused") {
  ImageFiles files(ImageFormat::kIdx);
  files.options.path = files.path("a");
  CHECK(files.error() == files.path("a") + ": there is no such file");
  files.add("a", "");
  CHECK(files.error() == files.path("a") + ": the file is empty");
  files.add("a", gzip_file(""));
  CHECK(files.error() == files.path("a") + ": the file is empty");
  files.add("a", gzip_file("hello").substr(0, 15));
  CHECK_THAT(files.error(), ContainsSubstring("a: gzip data cut short after 15 bytes"));
  files.options.path = fs::path(files.path("a")).parent_path().string();
  CHECK(files.error() ==
        files.options.path + ": no file; name a file, or set data.format to folder");
}

TEST_CASE("a csv gives square images unless the options say otherwise") {
  ImageFiles files(ImageFormat::kCsv);
  files.options.path = files.add("a.csv", "1,2,3,4,x\n\n5,6,7,8,y\n");
  const auto data = files.load();
  CHECK(data.size == ImageSize{1, 2, 2});
  CHECK(data.classes == Texts{"x", "y"});
  CHECK(data.train.pixels == Pixels{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(data.train.place_of(1) == files.options.path + ", line 3");
  CHECK(data.notes == Texts{files.options.path + ": 1 empty lines were skipped."});
  files.options.height = 1;
  files.options.width = 4;
  CHECK(files.load().size == ImageSize{1, 1, 4});
}

TEST_CASE("a csv's options reach its reader, and it may be gzipped") {
  ImageFiles files(ImageFormat::kCsv);
  files.options.label_column = 1;
  files.options.header = true;
  files.options.largest_value = 16;
  files.options.channels = 3;
  files.options.path = files.add("a.csv.gz", gzip_file("l,r,g,b\nx,1,2,16\ny,4,5,6\n"));
  const auto data = files.load();
  CHECK(data.size == ImageSize{3, 1, 1});
  CHECK(data.train.pixels == Pixels{16, 32, 255, 64, 80, 96});
  CHECK(data.train.place_of(0) == files.options.path + ", line 2");
}

TEST_CASE("pixels that do not make an image are refused with their number") {
  ImageFiles files(ImageFormat::kCsv);
  files.options.path = files.add("a.csv", "1,2,3,x\n4,5,6,y\n");
  CHECK(files.error() ==
        files.options.path +
            ": 3 pixels a line; not a square of 1 channel, so set data.height and data.width");
  files.options.height = files.options.width = 2;
  CHECK(files.error() ==
        files.options.path + ": 3 pixels a line; data.height and data.width make 4 (1 x 2 x 2)");
  files.options.header = true;
  files.options.path = files.add("a.csv", "a,b\n");
  CHECK(files.error() == files.options.path + ": there is no line with an image");
}

TEST_CASE("CIFAR-10's folder has its test split and the names of its classes") {
  ImageFiles files(ImageFormat::kCifar10);
  files.add("c/data_batch_1.bin", record(3, 'a') + record(0, 'b'));
  files.add("c/data_batch_2.bin", record(3, 'c'));
  files.add("c/test_batch.bin", record(0, 'd'));
  files.add("c/batches.meta.txt", kNames);
  files.options.path = files.path("c");
  const auto data = files.load();
  CHECK(data.size == ImageSize{3, 32, 32});
  CHECK(data.classes == Texts{"airplane", "cat"});
  CHECK(data.train.labels == Labels{1, 0, 1});
  CHECK(data.test.labels == Labels{0});
  CHECK(data.train.place_of(2) == files.path("c/data_batch_2.bin") + ", image 1");
  CHECK(data.test.place_of(0) == files.path("c/test_batch.bin") + ", image 1");
  REQUIRE(data.files.size() == 1);
  CHECK(data.files[0].path == files.path("c"));
  CHECK(data.files[0].bytes == static_cast<std::int64_t>(4 * 3073 + std::string(kNames).size()));
  files.options.test_fraction = 0.5;
  CHECK(files.error() == "data.test_fraction: 0.5; " + files.path("c/test_batch.bin") +
                             " is the test split, so set it to 0");
  fs::remove(files.path("c/test_batch.bin"));
  files.add("c/data_batch_1.bin", record(3, 'a') + record(0, 'b') + record(0, 'e'));
  CHECK(files.load().test.size() == 2);
}

TEST_CASE("one file of CIFAR-10 is read with the names beside it, or without") {
  ImageFiles files(ImageFormat::kCifar10);
  files.options.path = files.add("c/data_batch_1.bin", record(3, 'a') + record(0, 'b'));
  CHECK(files.load().classes == Texts{"0", "3"});
  files.add("c/batches.meta.txt", kNames);
  CHECK(files.load().classes == Texts{"airplane", "cat"});
}

TEST_CASE("a folder without CIFAR-10's files is refused") {
  ImageFiles files(ImageFormat::kCifar10);
  files.add("c/test_batch.bin", record(0, 'd'));
  files.options.path = files.path("c");
  CHECK(files.error() == files.path("c") +
                             ": no data_batch_*.bin in it; expected the folder of CIFAR-10's "
                             "binary version (cifar-10-batches-bin)");
  files.options.train_path = std::exchange(files.options.path, "");
  CHECK(files.error() == files.path("c") +
                             ": a folder; data.path reads the folder of CIFAR-10's files, "
                             "data.train_path one of them");
}

TEST_CASE("splits in files of different sizes of images are refused") {
  ImageFiles files(ImageFormat::kCsv);
  files.options.train_path = files.add("a.csv", "1,x\n2,y\n");
  files.options.test_path = files.add("b.csv", "1,2,3,4,x\n");
  CHECK(files.error() == files.path("a.csv") + " has images of 1 x 1 x 1, " + files.path("b.csv") +
                             " of 1 x 2 x 2 (channels, height, width); the splits of one data set "
                             "have one size");
}

}  // namespace zoo
