// `zoo data audit` as its user meets it.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// Configs in a folder of their own, with files of lines and of images.
class Workplace {
 public:
  Workplace() {
    file("train.txt", "anna\nbea\nanna\nsophia marie\n");
    file("val.txt", "bea\nqéx\nSophia-Marie\n");
    file("lines.json", R"({
      "architecture": "gpt",
      "model": {"block_size": 16, "d_model": 16, "n_heads": 2, "n_layers": 1},
      "data": {"train_path": "train.txt", "val_path": "val.txt"}
    })");
    file("images.csv", "0,1,2,3,a\n9,8,7,6,b\n0,1,2,3,b\n4,4,4,4,a\n5,6,5,6,b\n");
    file("images.json", R"({
      "architecture": "mlp",
      "task": "image_classification",
      "data": {"path": "images.csv", "format": "csv", "val_fraction": 0, "deduplicate": false}
    })");
  }
  void file(const std::string& name, const std::string& text) const {
    replace_file(folder_ / name, text);
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult audit(const std::string& config, std::vector<std::string> rest = {}) const {
    rest.insert(rest.begin(), {"data", "audit", *this / config});
    return run_zoo(rest);
  }

 private:
  TemporaryFolder folder_;
};

void check_fits(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto columns = std::count_if(line.begin(), line.end(), [](char c) {
      return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    });
    INFO(line);
    CHECK(columns <= 100);
  }
}

nlohmann::json json_of(const ProgramResult& result) {
  INFO(result.error);
  REQUIRE(result.code == 0);
  return nlohmann::json::parse(result.out);
}

TEST_CASE("data audit prints tables and what it found in words") {
  const Workplace here;
  const auto audited = here.audit("lines.json");
  INFO(audited.error);
  REQUIRE(audited.code == 0);
  for (const char* part :
       {"lines for language_model, vocabulary 13", "not in train's", "near train",
        "train.txt, line 4 (train)", "rarest characters of train", "data.deduplicate is on",
        "note: val: 1 lines that stand in an earlier split",
        "Lines of val that are near duplicates", "val has 6 characters that train does not have"}) {
    CHECK_THAT(audited.out, ContainsSubstring(part));
  }
  check_fits(audited.out);
  check_fits(run_zoo({"data", "audit", "configs/names/sex-bert.json"}).out);
}

TEST_CASE("data audit --json has everything in one object") {
  const Workplace here;
  const auto json = json_of(here.audit("lines.json", {"--json"}));
  const auto& train = json.at("splits").at("train");
  CHECK(train.at("examples") == 3);
  CHECK(train.at("tokens") == 23);
  CHECK(train.at("characters") == 19);
  CHECK(train.at("lengths").at("characters").at("longest") == 12);
  CHECK(train.at("alphabet").size() == 12);
  const auto& val = json.at("splits").at("val");
  CHECK(val.at("near_train").at("count") == 1);
  CHECK(val.at("in_train").at("count") == 0);
  CHECK(val.at("not_in_train").size() == 6);
  CHECK(json.at("findings").size() >= 2);
  CHECK(json.at("deduplicate") == true);
  const auto kept =
      json_of(here.audit("lines.json", {"--json", "--set", "data.deduplicate=false"}));
  CHECK(kept.at("splits").at("train").at("repeated").at("count") == 1);
  CHECK(kept.at("splits").at("val").at("in_train").at("count") == 1);
}

TEST_CASE("images are audited too") {
  const Workplace here;
  const auto audited = here.audit("images.json");
  INFO(audited.error);
  REQUIRE(audited.code == 0);
  for (const char* part : {"2 x 2 pixels, grey", "one colour", "standard deviation", "share",
                           "data.deduplicate is off", "Images of train that repeat an earlier one",
                           "There is no val split"}) {
    CHECK_THAT(audited.out, ContainsSubstring(part));
  }
  check_fits(audited.out);
  const auto json = json_of(here.audit("images.json", {"--json"}));
  const auto& train = json.at("splits").at("train");
  CHECK(train.at("classes") == nlohmann::json({2, 3}));
  CHECK(train.at("repeated").at("count") == 1);
  CHECK(train.at("other_class").at("count") == 1);
  CHECK(train.at("one_colour").at("count") == 1);
}

TEST_CASE("an audit of data that cannot be read ends in one line") {
  const Workplace here;
  check_refused(here.audit("none.json"), "no such config");
  check_refused(here.audit("lines.json", {"--set", "data.val_path=no.txt"}), "no.txt");
  check_refused(here.audit("lines.json", {"--count", "3"}), "--count");
  here.file("bad.txt", "anna\n\xFF\n");
  check_refused(here.audit("lines.json", {"--set", "data.val_path=" + (here / "bad.txt")}),
                "byte offset 5");
  check_refused(run_zoo({"data", "audti", here / "lines.json"}), "did you mean audit?");
}

}  // namespace
}  // namespace zoo
