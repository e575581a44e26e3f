// Every comparison that comes with the project runs.
#include <filesystem>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/idx_files.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Every hundredth name.
std::string few_names() {
  std::istringstream names(read_file("data/names.txt"));
  std::string few;
  int number = 0;
  for (std::string name; std::getline(names, name);) {
    if (number++ % 100 == 0) few += name + "\n";
  }
  return few;
}

/// The comparison of a file for two steps, on its last problem and on small data in `folder`.
Json short_comparison(const fs::path& file, const TemporaryFolder& folder) {
  auto comparison = Json::parse(read_file(file), nullptr, true, /*ignore_comments=*/true);
  auto set = comparison.value("set", Json::object());
  for (auto& run : comparison.at("runs")) {
    const auto config = (file.parent_path() / run.at("config").get<std::string>());
    run["config"] = fs::absolute(config.lexically_normal());
    const auto data = Json::parse(read_file(config), nullptr, true, true).at("data");
    if (data.value("path", "") == "data/names.txt") {
      set["data.path"] = (folder / "names.txt").string();
      set["tokenizer.unknown"] = "skip";
    } else if (data.value("format", "") == "idx") {
      set["data.train_path"] = (folder / "train-images-idx3").string();
      set["data.test_path"] = (folder / "test-images-idx3").string();
    } else if (set.contains("data.examples") || data.contains("examples")) {
      set["data.examples"] = 400;
    }
  }
  auto budget = comparison.value("budget", Json::object());
  for (const char* length : {"steps", "tokens", "seconds", "flops"}) budget.erase(length);
  budget["steps"] = 2;
  set["training.samples"] = 0;
  comparison["set"] = set;
  comparison["budget"] = budget;
  comparison["seeds"] = {1};
  if (comparison.contains("problems")) {
    comparison["problems"] = Json::array({comparison["problems"].back()});
  }
  return comparison;
}

TEST_CASE("every comparison of the project is one, and runs for two steps") {
  const TemporaryFolder folder;
  write_file_synced(folder / "names.txt", few_names());
  write_idx_images(folder.path(), "train", 200);
  write_idx_images(folder.path(), "test", 50);
  // Paths of a comparison are meant from its folder or one above it.
  fs::create_directory_symlink(fs::absolute("data"), folder / "data");
  int count = 0;
  for (const auto& entry : fs::directory_iterator("configs/compare")) {
    INFO(entry.path());
    const auto name = entry.path().stem().string();
    write_file_synced(folder / (name + ".json"), short_comparison(entry.path(), folder).dump());
    const auto compared = run_zoo({"compare", (folder / (name + ".json")).string(), "--out",
                                   (folder / name).string(), "--json"});
    INFO(compared.error);
    CHECK(compared.code == 0);
    ++count;
  }
  CHECK(count >= 13);
}

}  // namespace
}  // namespace zoo
