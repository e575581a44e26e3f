#include "training/checkpoint.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

const CheckpointFiles kFiles = {{"model.safetensors", std::string(100, 'm')},
                                {"optimizer.safetensors", std::string(200, 'o')},
                                {"state.json", "{\"step\": 1}"}};

/// A manifest with the checksum of what it says now.
std::string signed_again(nlohmann::json manifest) {
  manifest.erase("sha256");
  manifest["sha256"] = sha256(manifest.dump());
  return manifest.dump();
}

TEST_CASE("a checkpoint comes back as it was written, and last points at it") {
  const TemporaryFolder run;
  write_checkpoint(run.path(), 5, kFiles, "identity");
  write_checkpoint(run.path(), 10, kFiles, "identity");
  const auto newest = read_newest_checkpoint(run.path(), "identity");
  CHECK(newest.step == 10);
  CHECK(newest.files == kFiles);
  CHECK(newest.skipped.empty());
  CHECK(fs::read_symlink(run / "checkpoints" / "last") == "step-10");
  CHECK(read_checkpoint(run.path(), "step-5", "identity").step == 5);
  CHECK(read_checkpoint(run.path(), "best", "identity").step == 10);
  mark_best(run.path(), 5);
  CHECK(read_checkpoint(run.path(), "best", "identity").step == 5);
}

TEST_CASE("a checkpoint that was cut, changed or lost a file is passed over, and it is said why") {
  for (const auto& [name, bytes] : kFiles) {
    for (const int damage : {0, 1, 2}) {
      const TemporaryFolder run;
      write_checkpoint(run.path(), 1, kFiles, "identity");
      write_checkpoint(run.path(), 2, kFiles, "identity");
      const auto file = run / "checkpoints" / "step-2" / name;
      if (damage == 0) fs::resize_file(file, bytes.size() / 2);
      if (damage == 1) write_file_synced(file, bytes.substr(1) + "x");
      if (damage == 2) fs::remove(file);
      const auto found = read_newest_checkpoint(run.path(), "identity");
      CHECK(found.step == 1);
      REQUIRE(found.skipped.size() == 1);
      CHECK(found.skipped[0].step == 2);
      CHECK_THAT(found.skipped[0].reason, ContainsSubstring(name));
      CHECK_THROWS_WITH(
          read_checkpoint(run.path(), "step-2", "identity"),
          ContainsSubstring(name) && ContainsSubstring(damage == 0   ? "it was cut"
                                                       : damage == 1 ? "SHA-256"
                                                                     : "No such file"));
    }
  }
}

TEST_CASE("a checkpoint without its manifest, of another format or of another model is refused") {
  const TemporaryFolder run;
  write_checkpoint(run.path(), 1, kFiles, "identity");
  CHECK_THROWS_WITH(read_newest_checkpoint(run.path(), "another"),
                    ContainsSubstring("the weights belong to another"));
  const auto manifest = run / "checkpoints" / "step-1" / "manifest.json";
  const auto text = read_file(manifest);
  for (const std::string broken : {"", "[]", "{", "{\"files\": 3}"}) {
    write_file_synced(manifest, broken);
    CHECK_THROWS_AS(read_newest_checkpoint(run.path(), "identity"), UserError);
  }
  auto newer = nlohmann::json::parse(text);
  newer["format_version"] = 9;
  write_file_synced(manifest, signed_again(newer));
  CHECK_THROWS_WITH(read_newest_checkpoint(run.path(), "identity"),
                    ContainsSubstring("another version of zoo"));
  fs::remove(manifest);
  CHECK_THROWS_WITH(read_newest_checkpoint(run.path(), "identity"),
                    ContainsSubstring("no whole checkpoint"));
}

TEST_CASE("pruning keeps the newest and the best, and clears what a kill left behind") {
  const TemporaryFolder run;
  for (const std::int64_t step : {1, 2, 3, 4, 5}) write_checkpoint(run.path(), step, kFiles, "i");
  mark_best(run.path(), 2);
  make_folders(run / "checkpoints" / "step-6.tmp");
  prune_checkpoints(run.path(), 2);
  std::vector<std::string> left;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints")) {
    left.push_back(entry.path().filename().string());
  }
  std::sort(left.begin(), left.end());
  CHECK(left == std::vector<std::string>{"best", "last", "step-2", "step-4", "step-5"});
}

TEST_CASE("a half-written checkpoint is not seen, and an empty run says so") {
  const TemporaryFolder run;
  CHECK_THROWS_WITH(read_newest_checkpoint(run.path(), "i"),
                    ContainsSubstring("stopped before its first one"));
  write_checkpoint(run.path(), 3, kFiles, "i");
  make_folders(run / "checkpoints" / "step-4.tmp");
  write_file_synced(run / "checkpoints" / "step-4.tmp" / "model.safetensors", "half");
  CHECK(read_newest_checkpoint(run.path(), "i").step == 3);
  CHECK_THROWS_WITH(read_checkpoint(run.path(), "newest", "i"),
                    ContainsSubstring("choose best, last or step-N"));
}

TEST_CASE("a manifest that names a file outside its folder is refused") {
  const TemporaryFolder run;
  write_checkpoint(run.path(), 1, kFiles, "i");
  const auto path = run / "checkpoints" / "step-1" / "manifest.json";
  auto manifest = nlohmann::json::parse(read_file(path));
  manifest["files"]["../state.json"] = manifest["files"]["state.json"];
  write_file_synced(path, signed_again(manifest));
  CHECK_THROWS_WITH(read_newest_checkpoint(run.path(), "i"),
                    ContainsSubstring("names a file outside its folder, or none: ../state.json"));
}

}  // namespace
}  // namespace zoo
