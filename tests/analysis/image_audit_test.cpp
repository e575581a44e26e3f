#include "analysis/image_audit.h"

#include <tuple>

#include "analysis/audit_findings.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// Images of 2 x 1 pixels in csv files, the label last.
struct Files {
  TemporaryFolder folder;
  ImageOptions options;

  Files(const std::string& train, const std::string& val, const std::string& test) {
    options.format = ImageFormat::kCsv;
    options.height = 1;
    options.width = 2;
    options.train_path = add("train.csv", train);
    options.val_path = add("val.csv", val);
    options.test_path = add("test.csv", test);
  }
  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder / name, text);
    return (folder / name).string();
  }
  ImageAudit audit() const { return audit_images(load_image_data(options), options); }
};

constexpr const char* kTrain = "0,255,a\n255,0,b\n0,255,a\n10,20,b\n";
constexpr const char* kVal = "0,255,b\n7,7,a\n";
constexpr const char* kTest = "7,7,a\n255,0,b\n30,40,a\n";

}  // namespace

TEST_CASE("equal images are counted within a split and across splits where they were kept") {
  Files files(kTrain, kVal, kTest);
  files.options.deduplicate = false;
  const auto audit = files.audit();
  REQUIRE(audit.splits.size() == 3);
  const auto& [train, val, test] = std::tie(audit.splits[0], audit.splits[1], audit.splits[2]);
  CHECK(train.repeated.count == 1);
  CHECK_THAT(train.repeated.first.at(0), ContainsSubstring("train.csv, line 3"));
  CHECK(train.other_label.count == 0);
  CHECK(val.repeated.count == 0);
  CHECK(val.in_train.count == 1);
  CHECK(val.other_label.count == 1);
  CHECK(val.blank.count == 1);
  CHECK(test.in_train.count == 1);
  CHECK(test.in_val.count == 1);
  CHECK(test.blank.count == 1);
  CHECK(test.images == 3);
  std::string found;
  for (const auto& sentence : findings(audit)) found += sentence + "\n";
  CHECK_THAT(found,
             ContainsSubstring("Images of val that stand in train as well: 1 of 2 (50.0 %)"));
  CHECK_THAT(found, ContainsSubstring("Images of val that are equal to one of another class: 1"));
  CHECK_THAT(found, ContainsSubstring("Images of test that are of one colour: 1 of 3 (33.3 %)"));
}

TEST_CASE("the loader's splits have no equal images") {
  const auto audit = Files(std::string(kTrain) + "1,2,a\n", kVal, "7,7,a\n30,40,a\n").audit();
  for (const auto& split : audit.splits) {
    CHECK(split.repeated.count == 0);
    CHECK(split.in_train.count == 0);
    CHECK(split.in_val.count == 0);
  }
  CHECK_FALSE(audit.notes.empty());
}

TEST_CASE("classes and brightness are those of each split") {
  const auto audit = Files("0,255,a\n255,0,b\n0,51,a\n", "51,51,a\n102,102,a\n", "1,2,b\n").audit();
  CHECK(audit.classes == std::vector<std::string>{"a", "b"});
  CHECK(audit.splits[0].class_counts == std::vector<std::int64_t>{2, 1});
  CHECK(audit.splits[1].class_counts == std::vector<std::int64_t>{2, 0});
  CHECK(audit.splits[1].statistics.mean.at(0) == Approx(0.3));
  CHECK(audit.splits[1].statistics.deviation.at(0) == Approx(0.1));
  CHECK(audit.size == ImageSize{1, 1, 2});
  std::string found;
  for (const auto& sentence : findings(audit)) found += sentence + "\n";
  CHECK_THAT(found,
             ContainsSubstring("val has no example of 1 of 2 classes, the first of them b."));
}

}  // namespace zoo
