// Every config that comes with the project runs.
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/mo_file.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Ten classes of 28 x 28 pixels in the format of MNIST.
void write_idx_images(const fs::path& folder, const std::string& split, int images) {
  const auto number = [](int value) {
    return std::string{'\0', '\0', static_cast<char>(value >> 8), static_cast<char>(value & 255)};
  };
  std::string pixels = {'\0', '\0', '\x08', '\x03'};
  std::string labels = {'\0', '\0', '\x08', '\x01'};
  pixels += number(images) + number(28) + number(28);
  labels += number(images);
  for (int image = 0; image < images; ++image) {
    labels += static_cast<char>(image % 10);
    for (int pixel = 0; pixel < 28 * 28; ++pixel) {
      pixels += static_cast<char>((image * 7919 + pixel * (image + images)) % 251);
    }
  }
  write_file_synced(folder / (split + "-images-idx3"), pixels);
  write_file_synced(folder / (split + "-labels-idx1"), labels);
}

TEST_CASE("every config of the project trains for two steps") {
  const TemporaryFolder folder;
  std::string text, table;
  MoStrings messages = {mo_header("UTF-8")};
  for (int i = 0; i < 400; ++i) {
    const auto line = "To be, or not to be: line " + std::to_string(i);
    text += line + "\n";
    table += line + "\tolmak ya da olmamak\n";
    messages.emplace_back(line, "olmak ya da olmamak " + std::to_string(i));
  }
  write_file_synced(folder / "text", text);
  write_file_synced(folder / "pairs", table);
  write_file_synced(folder / "messages.mo", mo_file(messages));
  write_idx_images(folder.path(), "train", 200);
  write_idx_images(folder.path(), "test", 50);
  int number = 0;
  for (const auto& entry : fs::recursive_directory_iterator("configs")) {
    const bool compares = entry.path().parent_path().filename() == "compare";
    if (entry.path().extension() != ".json" || compares) continue;
    const auto path = entry.path().string();
    std::vector<std::string> arguments = {"train", path, "--quiet", "--out",
                                          (folder / std::to_string(number++)).string()};
    const auto config = nlohmann::json::parse(read_file(path), nullptr, true, true);
    const auto& data = config.at("data");
    const auto data_file = data.value("path", "");
    const bool large = data.value("format", "lines") == "text";
    if (!data_file.empty() && (large || !fs::exists(data_file))) {
      arguments.insert(arguments.end(),
                       {"--set", "data.path=" + (folder / data.value("format", "lines")).string()});
    }
    if (data.contains("synthetic")) {
      arguments.insert(arguments.end(),
                       {"--set", "data.examples=500", "--set", "data.val_fraction=0.1"});
    }
    if (data.value("format", "") == "idx") {
      arguments.insert(arguments.end(),
                       {"--set", "data.train_path=" + (folder / "train-images-idx3").string(),
                        "--set", "data.test_path=" + (folder / "test-images-idx3").string()});
    }
    if (data.contains("catalogues")) {
      arguments.insert(arguments.end(),
                       {"--set", "data.catalogue_folder=" + folder.path().string()});
    }
    arguments.insert(arguments.end(),
                     {"--set", "training.max_steps=2", "--set", "training.epochs=null"});
    const auto result = run_zoo(arguments);
    INFO(path << "\n" << result.error);
    CHECK(result.code == 0);
  }
  CHECK(number >= 16);
}

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
