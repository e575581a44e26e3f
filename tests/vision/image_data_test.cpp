#include "vision/image_data.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

using Texts = std::vector<std::string>;

/// A csv of images of one pixel, and options that name it.
class PixelFiles {
 public:
  PixelFiles() { options.format = ImageFormat::kCsv; }

  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder_ / name, text);
    return (folder_ / name).string();
  }

  ImageData load() const { return load_image_data(options); }
  std::string error() const {
    return message_of<UserError>([&] { load(); });
  }

  ImageOptions options;

 private:
  TemporaryFolder folder_;
};

/// Lines of one pixel: so many images of a class, all different, from a brightness on.
std::string images(const std::string& label, int count, int from) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(from + i) + "," + label + "\n";
  return text;
}

/// The brightnesses of a split, in its order.
std::vector<int> shown(const ImageSplit& split) {
  return {split.pixels.begin(), split.pixels.end()};
}

std::map<std::string, int> class_counts(const ImageData& data, const ImageSplit& split) {
  std::map<std::string, int> counts;
  for (const auto label : split.labels) ++counts[data.classes[static_cast<std::size_t>(label)]];
  return counts;
}

using Counts = std::map<std::string, int>;

}  // namespace

TEST_CASE("each class gives its share to val and test, in the order of the file") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 100, 0) + images("y", 50, 100));
  files.options.val_fraction = 0.1;
  files.options.test_fraction = 0.25;
  const auto data = files.load();
  CHECK(class_counts(data, data.train) == Counts{{"x", 65}, {"y", 32}});
  CHECK(class_counts(data, data.val) == Counts{{"x", 10}, {"y", 5}});
  CHECK(class_counts(data, data.test) == Counts{{"x", 25}, {"y", 13}});
  std::set<int> all;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    const auto values = shown(*split);
    CHECK(std::is_sorted(values.begin(), values.end()));
    all.insert(values.begin(), values.end());
    for (std::int64_t i = 0; i < split->size(); ++i) {
      const auto value = values[static_cast<std::size_t>(i)];
      CHECK(split->place_of(i) == text_of(files.options.path, ", line ", value + 1));
      CHECK(split->labels[static_cast<std::size_t>(i)] == (value < 100 ? 0 : 1));
    }
  }
  CHECK(all.size() == 150);
}

TEST_CASE("split_seed moves images between splits, and nothing else does") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 60, 0) + images("y", 60, 100));
  files.options.val_fraction = 0.5;
  const auto first = shown(files.load().val);
  CHECK(shown(files.load().val) == first);
  // Another class, at the end of their order, leaves those before it where they are.
  files.options.path =
      files.add("b.csv", images("x", 60, 0) + images("y", 60, 100) + images("z", 10, 200));
  auto with_more = shown(files.load().val);
  std::erase_if(with_more, [](int value) { return value >= 200; });
  CHECK(with_more == first);
  files.options.split_seed = 2;
  CHECK(shown(files.load().val) != first);
}

TEST_CASE("a class too small for a split stays in train, and it is said") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 20, 0) + "200,one\n" + images("two", 2, 210));
  files.options.val_fraction = 0.4;
  files.options.test_fraction = 0.5;
  const auto data = files.load();
  CHECK(class_counts(data, data.train) == Counts{{"one", 1}, {"two", 1}, {"x", 2}});
  CHECK(class_counts(data, data.val) == Counts{{"two", 1}, {"x", 8}});
  CHECK(data.notes ==
        Texts{"val has no image of 1 classes (the first: one), which are too small for "
              "data.val_fraction 0.4.",
              "test has no image of 2 classes (the first: one), which are too small for "
              "data.test_fraction 0.5."});
}

TEST_CASE("a split that is asked for and gets nothing is refused") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 4, 0) + images("y", 4, 100));
  CHECK(files.error() == "data.val_fraction: 0.1 of each class of " + files.options.path +
                             " gives an empty split val; raise it, or set it to 0");
  files.options.val_fraction = 0;
  files.options.test_fraction = 0.1;
  CHECK_THAT(files.error(), ContainsSubstring("data.test_fraction: 0.1"));
  files.options.test_fraction = 0;
  CHECK(files.load().train.size() == 8);
}

TEST_CASE("without val_path val is cut from train, and a given test split is untouched") {
  PixelFiles files;
  files.options.train_path = files.add("a.csv", images("x", 20, 0) + images("y", 20, 100));
  files.options.test_path = files.add("t.csv", images("y", 5, 200));
  const auto data = files.load();
  CHECK(class_counts(data, data.train) == Counts{{"x", 18}, {"y", 18}});
  CHECK(class_counts(data, data.val) == Counts{{"x", 2}, {"y", 2}});
  CHECK(class_counts(data, data.test) == Counts{{"y", 5}});
  files.options.val_path = files.add("v.csv", images("x", 3, 220));
  const auto given = files.load();
  CHECK(given.train.size() == 40);
  CHECK(shown(given.val) == std::vector<int>{220, 221, 222});
  CHECK(given.files.size() == 3);
}

TEST_CASE("of equal images of one file the first is kept") {
  PixelFiles files;
  files.options.path = files.add("a.csv", "1,x\n2,y\n1,x\n2,x\n3,x\n1,x\n");
  files.options.val_fraction = 0;
  const auto data = files.load();
  CHECK(shown(data.train) == std::vector<int>{1, 2, 3});
  CHECK(data.train.labels == std::vector<std::int32_t>{0, 1, 0});
  CHECK(data.notes ==
        Texts{files.options.path + ": 3 repeated images were dropped.",
              files.options.path +
                  ": 1 of the dropped images have another label than the one that was kept."});
}

TEST_CASE("of equal images in given splits the one that judges is kept") {
  PixelFiles files;
  files.options.train_path = files.add("a.csv", "1,x\n2,y\n3,x\n4,y\n5,x\n");
  files.options.val_path = files.add("v.csv", "2,y\n3,x\n6,x\n");
  files.options.test_path = files.add("t.csv", "3,x\n7,y\n");
  const auto data = files.load();
  CHECK(shown(data.train) == std::vector<int>{1, 4, 5});
  CHECK(shown(data.val) == std::vector<int>{2, 6});
  CHECK(shown(data.test) == std::vector<int>{3, 7});
  CHECK(data.notes ==
        Texts{files.options.val_path + ": 1 images that stand in a split that judges were dropped.",
              files.options.train_path +
                  ": 2 images that stand in a split that judges were dropped."});
}

TEST_CASE("a split or a class of which nothing is left is refused") {
  PixelFiles files;
  files.options.train_path = files.add("a.csv", "1,x\n2,y\n3,x\n");
  files.options.test_path = files.add("t.csv", "2,y\n");
  files.options.val_fraction = 0;
  CHECK(files.error() ==
        files.options.train_path +
            ": class y has no image left in train: each is equal to one of another "
            "class or split; remove those that are wrong");
  files.options.val_path = files.add("v.csv", "2,y\n");
  CHECK(files.error() == files.options.val_path +
                             ": each of its images also stands in another split; bring others, or "
                             "set data.deduplicate to false");
}

TEST_CASE("without deduplicate equal images of one file go to one split") {
  PixelFiles files;
  files.options.deduplicate = false;
  std::string text;
  for (int copy = 0; copy < 3; ++copy) text += images("x", 40, 0) + images("y", 40, 100);
  files.options.path = files.add("a.csv", text);
  files.options.val_fraction = 0.25;
  files.options.test_fraction = 0.25;
  const auto data = files.load();
  CHECK(data.train.size() == 120);
  CHECK(data.val.size() == 60);
  CHECK(data.test.size() == 60);
  std::map<int, std::set<std::string>> splits;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    for (const auto value : shown(*split)) splits[value].insert(split->name);
  }
  CHECK(splits.size() == 80);
  for (const auto& [value, names] : splits) CHECK(names.size() == 1);
  CHECK(data.notes.empty());
}

TEST_CASE("without deduplicate equal images in given splits are counted") {
  PixelFiles files;
  files.options.deduplicate = false;
  files.options.train_path = files.add("a.csv", "1,x\n2,y\n3,x\n4,y\n");
  files.options.val_path = files.add("v.csv", "2,y\n2,y\n6,x\n");
  files.options.test_path = files.add("t.csv", "3,x\n6,x\n");
  const auto data = files.load();
  CHECK(data.train.size() == 4);
  CHECK(data.val.size() == 3);
  CHECK(data.notes == Texts{"2 images of val also stand in train.",
                            "1 images of test also stand in train.",
                            "1 images of test also stand in val."});
}

TEST_CASE("equal images of two classes that leave one of them without train are refused") {
  PixelFiles files;
  files.options.deduplicate = false;
  files.options.val_fraction = 0.5;
  // y's only image goes where x's equal one goes, which some seed deals to val.
  files.options.path = files.add("a.csv", "1,x\n2,x\n1,y\n");
  int refused = 0;
  for (int seed = 1; seed <= 20; ++seed) {
    files.options.split_seed = seed;
    if (files.error().find("class y has no image left in train") != std::string::npos) ++refused;
  }
  CHECK(refused > 0);
  CHECK(refused < 20);
}

TEST_CASE("a label that train does not have is refused with its place") {
  PixelFiles files;
  files.options.train_path = files.add("a.csv", images("x", 20, 0) + images("y", 20, 100));
  files.options.test_path = files.add("t.csv", "200,x\n201,z\n");
  CHECK(files.error() == files.options.test_path +
                             ", line 2: class z has no image in the training split (" +
                             files.options.train_path + "); add some there, or remove these");
}

TEST_CASE("train_images takes the same share of each class") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 100, 0) + images("y", 50, 100));
  files.options.val_fraction = 0.2;
  const auto all = files.load();
  files.options.train_images = 30;
  const auto some = files.load();
  CHECK(class_counts(some, some.train) == Counts{{"x", 20}, {"y", 10}});
  CHECK(shown(some.val) == shown(all.val));
  const auto chosen = shown(some.train), from = shown(all.train);
  CHECK(std::includes(from.begin(), from.end(), chosen.begin(), chosen.end()));
  files.options.train_images = 31;  // 20.67 and 10.33
  CHECK(class_counts(some, files.load().train) == Counts{{"x", 21}, {"y", 10}});
  files.options.train_images = 120;
  CHECK(shown(files.load().train) == from);
}

TEST_CASE("train_images keeps an image of each class") {
  PixelFiles files;
  files.options.path =
      files.add("a.csv", images("x", 100, 0) + images("y", 3, 100) + images("z", 2, 110));
  files.options.val_fraction = 0;
  files.options.train_images = 5;
  const auto data = files.load();
  CHECK(class_counts(data, data.train) == Counts{{"x", 3}, {"y", 1}, {"z", 1}});
  files.options.train_images = 2;
  CHECK(files.error() ==
        "data.train_images: 2 leaves classes without an image; there are 3 classes");
  files.options.train_images = 106;
  CHECK(files.error() == "data.train_images: 106; the training split has 105 images");
}

TEST_CASE("another split_seed chooses other images of train") {
  PixelFiles files;
  files.options.train_path = files.add("a.csv", images("x", 100, 0) + images("y", 100, 100));
  files.options.val_fraction = 0;
  files.options.train_images = 20;
  const auto first = shown(files.load().train);
  files.options.split_seed = 2;
  CHECK(shown(files.load().train) != first);
}

TEST_CASE("classes are those of train, numbers in their order") {
  PixelFiles files;
  files.options.path = files.add("a.csv", "1,10\n2,9\n3,0\n");
  files.options.val_fraction = 0;
  CHECK(files.load().classes == Texts{"0", "9", "10"});
}

TEST_CASE("a split is found by its name") {
  PixelFiles files;
  files.options.path = files.add("a.csv", images("x", 20, 0) + images("y", 20, 100));
  const auto data = files.load();
  CHECK(&data.split("val") == &data.val);
  CHECK(message_of<UserError>([&] { data.split("trian"); }) ==
        "split trian: unknown; the data has train, val; did you mean train?");
  CHECK(message_of<UserError>([&] { data.split("test"); }) ==
        "split test: there is none; the data has train, val; set data.test_fraction or "
        "data.test_path");
}

TEST_CASE("options are validated before anything is read") {
  ImageOptions options;
  CHECK_THAT(message_of<ConfigError>([&] { load_image_data(options); }),
             ContainsSubstring("data.path: missing"));
}

}  // namespace zoo
