#include "tests/mistakes/tiny_run.h"

#include <fstream>
#include <stdexcept>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/program.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kManifest = "manifest.json";

std::vector<fs::path> checkpoints_of(const fs::path& run) {
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(run / "checkpoints")) {
    if (entry.is_directory() && !entry.is_symlink()) folders.push_back(entry.path());
  }
  return folders;
}

/// Makes the manifest say that this is the file.
void seal(const fs::path& checkpoint, const std::string& name, const std::string& bytes) {
  change_json(checkpoint / kManifest, [&](Json& manifest) {
    manifest["files"][name] = {{"bytes", bytes.size()}, {"sha256", sha256(bytes)}};
    seal_manifest(manifest);
  });
}

}  // namespace

void write_bytes(const fs::path& file, const std::string& bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

TinyRun::TinyRun() {
  std::string names;
  for (const char first : {'a', 'b', 'c'}) {
    for (const char second : {'a', 'b', 'c'}) {
      for (const char third : {'a', 'b', 'c'}) names += {first, second, third, '\n'};
    }
  }
  write_bytes(folder_ / "triples.txt", names);
  const Json config = {{"architecture", "gpt"},
                       {"device", "cpu"},
                       {"model", {{"d_model", 8}, {"n_heads", 2}, {"n_layers", 1}}},
                       {"data", {{"path", "triples.txt"}, {"val_fraction", 0.2}}},
                       {"training",
                        {{"max_steps", 2},
                         {"batch_size", 4},
                         {"evaluate_every", 1},
                         {"samples", 1},
                         {"sample_length", 4}}}};
  write_bytes(folder_ / "gpt.json", config.dump(2));
  const auto trained =
      run_zoo({"train", this->config(), "--out", (folder_ / "run").string(), "--quiet"});
  if (trained.code != 0) throw std::runtime_error("zoo does not train: " + trained.error);
}

fs::path TinyRun::copy() const {
  const auto to = folder_ / "copy";
  fs::remove_all(to);
  fs::copy(folder_ / "run", to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  return to;
}

void seal_manifest(Json& manifest) {
  if (!manifest.contains("sha256")) return;
  manifest.erase("sha256");
  manifest["sha256"] = sha256(manifest.dump());
}

void replace_in_checkpoints(const fs::path& run, const std::string& name, const std::string& bytes,
                            bool sealed) {
  for (const auto& folder : checkpoints_of(run)) {
    write_bytes(folder / name, bytes);
    if (sealed) seal(folder, name, bytes);
  }
}

void change_json(const fs::path& file, const std::function<void(Json&)>& change) {
  auto json = Json::parse(read_file(file));
  change(json);
  write_bytes(file, json.dump(2));
}

void change_in_checkpoints(const fs::path& run, const std::string& name,
                           const std::function<void(Json&)>& change) {
  for (const auto& folder : checkpoints_of(run)) {
    change_json(folder / name, [&](Json& json) {
      change(json);
      if (name == kManifest) seal_manifest(json);
    });
    if (name != kManifest) seal(folder, name, read_file(folder / name));
  }
}

}  // namespace zoo
