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

/// A grey PNG of one brightness.
std::string grey_png(std::uint8_t value, std::uint32_t height = 2, std::uint32_t width = 2) {
  PngRecipe recipe;
  recipe.height = height;
  recipe.width = width;
  return png_file(recipe, std::vector<std::uint8_t>(height * width, value));
}

std::string colour_png(std::uint8_t value) {
  PngRecipe recipe;
  recipe.height = recipe.width = 2;
  recipe.colour_type = PNG_COLOR_TYPE_RGB;
  return png_file(recipe, std::vector<std::uint8_t>(12, value));
}

/// A folder of classes on the disk.
class ClassFolders {
 public:
  ClassFolders() {
    options.path = (folder_ / "data").string();
    options.val_fraction = 0;
  }

  void add(const std::string& name, const std::string& bytes) const {
    const auto path = fs::path(options.path) / name;
    make_folders(path.parent_path());
    replace_file(path, bytes);
  }

  /// Four images of each of two classes.
  void add_classes() const {
    for (int i = 0; i < 4; ++i) {
      add("cat/" + std::to_string(i) + ".png", grey_png(static_cast<std::uint8_t>(i)));
      add("dog/" + std::to_string(i) + ".png", grey_png(static_cast<std::uint8_t>(100 + i)));
    }
  }

  ImageData load() const { return load_image_data(options); }
  std::string error() const {
    return message_of<UserError>([&] { load(); });
  }
  std::string path(const std::string& name) const { return options.path + "/" + name; }

  ImageOptions options;

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a folder of classes gives its images, class by class in the order of their names") {
  ClassFolders folders;
  folders.add("dog/b.png", grey_png(4));
  folders.add("dog/a.PNG", grey_png(3));
  folders.add("cat/2.JPG", jpeg_file({2, 2, JCS_GRAYSCALE, JCS_GRAYSCALE}, {128, 128, 128, 128}));
  folders.add("cat/1.jpeg", grey_png(1));
  const auto data = folders.load();
  CHECK(data.size == ImageSize{1, 2, 2});
  CHECK(data.classes == Texts{"cat", "dog"});
  CHECK(data.train.name == "train");
  CHECK(data.train.labels == std::vector<std::int32_t>{0, 0, 1, 1});
  CHECK(data.train.pixels ==
        std::vector<std::uint8_t>{1, 1, 1, 1, 128, 128, 128, 128, 3, 3, 3, 3, 4, 4, 4, 4});
  CHECK(data.train.place_of(0) == folders.path("cat/1.jpeg"));
  CHECK(data.train.place_of(3) == folders.path("dog/b.png"));
  CHECK(data.val.empty());
  CHECK(data.notes.empty());
}

TEST_CASE("a folder is identified by the names and the contents of its images") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("cat/notes.txt", "one");
  const auto files = folders.load().files;
  REQUIRE(files.size() == 1);
  CHECK(files[0].option == "path");
  CHECK(files[0].path == folders.options.path);
  std::string lines;
  std::int64_t bytes = 0;
  for (const std::string name : {"cat", "dog"}) {
    for (int i = 0; i < 4; ++i) {
      const auto file = name + "/" + std::to_string(i) + ".png";
      const auto content = read_file(folders.path(file));
      lines += file + '\0' + sha256(content) + "\n";
      bytes += static_cast<std::int64_t>(content.size());
    }
  }
  CHECK(files[0].sha256 == sha256(lines));
  CHECK(files[0].bytes == bytes);
  folders.add("cat/notes.txt", "another");
  CHECK(folders.load().files[0].sha256 == files[0].sha256);
  fs::rename(folders.path("cat/3.png"), folders.path("cat/4.png"));
  CHECK(folders.load().files[0].sha256 != files[0].sha256);
}

TEST_CASE("hidden entries are passed over, other files are counted in a note") {
  ClassFolders folders;
  folders.add_classes();
  folders.add(".git/config", "x");
  folders.add("cat/.DS_Store", "x");
  folders.add("dog/.cache/x.png", "x");
  CHECK(folders.load().notes.empty());
  folders.add("README.md", "x");
  folders.add("dog/labels.csv", "x");
  CHECK(folders.load().notes ==
        Texts{folders.options.path +
              ": 2 files that do not end in .png, .jpg or .jpeg were left out (the first: "
              "README.md)."});
}

TEST_CASE("links are followed to files only") {
  ClassFolders folders;
  folders.add_classes();
  const TemporaryFolder elsewhere;
  replace_file(elsewhere / "x.png", grey_png(50));
  fs::create_symlink(elsewhere / "x.png", folders.path("cat/x.png"));
  const auto data = folders.load();
  CHECK(data.train.size() == 9);
  fs::create_symlink(elsewhere.path(), folders.path("bird"));
  CHECK(folders.error() ==
        folders.path("bird") +
            ": a link to a folder; links to files are followed, so put the folder itself here");
  fs::remove(folders.path("bird"));
  fs::create_symlink("nowhere.png", folders.path("cat/y.png"));
  CHECK(folders.error() == folders.path("cat/y.png") + ": a link to nothing; remove it");
}

TEST_CASE("what is no folder of classes is refused") {
  ClassFolders folders;
  CHECK(folders.error() == folders.options.path + ": there is no such folder");
  folders.add("notes.txt", "x");
  CHECK(folders.error() ==
        folders.options.path + ": there is no folder in it; expected a folder for each class");
  folders.add_classes();
  folders.add("x.jpg", "x");
  CHECK(folders.error() == folders.path("x.jpg") +
                               ": an image that is in no class; move it into the folder of its "
                               "class");
  folders.options.path = folders.path("x.jpg");
  CHECK_THAT(folders.error(), ContainsSubstring("x.jpg: a file; format folder reads a folder"));
}

TEST_CASE("folders below a class are refused") {
  ClassFolders folders;
  folders.add("train/cat/1.png", grey_png(1));
  CHECK(folders.error() == folders.path("train/cat") +
                               ": a folder below the class train; images lie in their class's " +
                               "folder (where " + folders.options.path +
                               " holds splits, set data.train_path to one of its folders)");
}

TEST_CASE("a class without images is refused") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("bird/notes.txt", "x");
  CHECK(folders.error() == folders.path("bird") +
                               ": a class without images (.png, .jpg or .jpeg); add some, or "
                               "remove the folder");
}

TEST_CASE("one class alone is refused") {
  ClassFolders folders;
  folders.add("cat/1.png", grey_png(1));
  folders.add("cat/2.png", grey_png(2));
  CHECK(folders.error() == folders.options.path +
                               ": all images are of one class, cat; to tell classes apart it needs "
                               "two");
}

TEST_CASE("names that cannot be shown are refused") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("cat/a\nb.png", grey_png(9));
  CHECK(folders.error() == folders.path("cat") +
                               ": an entry has a name that is not UTF-8, or has control "
                               "characters; rename it");
}

TEST_CASE("images of different sizes are refused unless a size is set") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("cat/wide.png", grey_png(7, 2, 3));
  folders.add("dog/high.png", grey_png(7, 4, 2));
  CHECK(folders.error() == folders.path("cat/0.png") + " has 2 x 2 pixels, " +
                               folders.path("cat/wide.png") +
                               " has 2 x 3; images need one size, so set data.height and "
                               "data.width");
  folders.options.height = 4;
  folders.options.width = 6;
  CHECK(folders.load().size == ImageSize{1, 4, 6});
}

TEST_CASE("grey and colour together are refused unless channels is set") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("dog/c.png", colour_png(7));
  CHECK(folders.error() == folders.path("cat/0.png") + " is grey, " + folders.path("dog/c.png") +
                               " is in colour; images need one kind, so set data.channels to 1 "
                               "(grey) or 3 (colour)");
  folders.options.channels = 3;
  CHECK(folders.load().size == ImageSize{3, 2, 2});
  folders.options.channels = 1;
  CHECK(folders.load().size == ImageSize{1, 2, 2});
}

TEST_CASE("a broken image is refused, or left out where the options say so") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("cat/2.png", grey_png(9).substr(0, 40));
  folders.add("dog/9.jpg", "");
  CHECK(folders.error() == folders.path("cat/2.png") +
                               ": PNG cut short after 40 bytes; replace the file or remove it; "
                               "data.broken_images: skip leaves such files out");
  folders.options.broken_images = BrokenImages::kSkip;
  const auto data = folders.load();
  CHECK(data.train.size() == 7);
  CHECK(data.notes == Texts{folders.options.path + ": 2 broken images were left out (the first: " +
                            folders.path("cat/2.png") +
                            ": PNG cut short after 40 bytes; replace the file or remove it)."});
}

TEST_CASE("a class of broken images only is refused") {
  ClassFolders folders;
  folders.add_classes();
  folders.add("bird/1.png", "");
  folders.options.broken_images = BrokenImages::kSkip;
  CHECK(folders.error() ==
        folders.path("bird") +
            ": a class without images: all of its files are broken (the first: " +
            folders.path("bird/1.png") + ": the file is empty; replace it or remove it)");
}

TEST_CASE("more pixels than are held are refused before they are read") {
  ClassFolders folders;
  folders.add_classes();
  folders.options.height = folders.options.width = 4096;
  folders.options.channels = 3;
  for (int i = 0; i < 40; ++i) {
    folders.add("dog/more" + std::to_string(i) + ".png",
                grey_png(static_cast<std::uint8_t>(i), 1, 1));
  }
  CHECK_THAT(folders.error(),
             ContainsSubstring("48 images of 3 x 4096 x 4096 are more than 2147483648 bytes"));
}

TEST_CASE("splits in folders have the classes and the size of train") {
  ClassFolders train;
  train.add_classes();
  ClassFolders test;
  test.add("dog/x.png", grey_png(200));
  auto options = train.options;
  options.train_path = std::exchange(options.path, "");
  options.test_path = test.options.path;
  options.val_fraction = 0.25;
  const auto data = load_image_data(options);
  CHECK(data.train.size() == 6);
  CHECK(data.val.size() == 2);
  CHECK(data.test.size() == 1);
  CHECK(data.test.labels == std::vector<std::int32_t>{1});
  CHECK(data.files.size() == 2);
  CHECK(data.files[1].option == "test_path");
  test.add("bird/x.png", grey_png(201));
  CHECK(message_of<UserError>([&] { load_image_data(options); }) ==
        test.path("bird/x.png") + ": class bird has no image in the training split (" +
            train.options.path + "); add some there, or remove these");
  fs::remove_all(test.path("bird"));
  test.add("dog/x.png", grey_png(200, 3, 3));
  CHECK(message_of<UserError>([&] { load_image_data(options); }) ==
        train.options.path + " has images of 1 x 2 x 2, " + test.options.path +
            " of 1 x 3 x 3 (channels, height, width); set data.height and data.width, or "
            "data.channels");
}

}  // namespace zoo
