// Every config that comes with the project runs.
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/idx_files.h"
#include "tests/support/mo_file.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

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

}  // namespace
}  // namespace zoo
