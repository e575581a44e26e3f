#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/temporary_folder.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

constexpr const char* kModel = "weights";

/// A run with one checkpoint, whose manifest is still to be written.
const TemporaryFolder& run() {
  static const TemporaryFolder folder;
  static const bool made = [] {
    make_folders(folder / "checkpoints" / "step-1");
    std::ofstream(folder / "checkpoints" / "step-1" / "model.safetensors") << kModel;
    return true;
  }();
  static_cast<void>(made);
  return folder;
}

}  // namespace

/// The manifest of a checkpoint; behind an 's' it gets the checksum of what it says, so that what
/// follows the check is reached.
void fuzz_one(std::string_view bytes) {
  const auto folder = run() / "checkpoints" / "step-1";
  const bool is_signed = bytes.starts_with('s');
  if (!bytes.empty()) bytes.remove_prefix(1);
  auto manifest = nlohmann::json::parse(bytes, nullptr, /*allow_exceptions=*/false);
  std::string text(bytes);
  if (is_signed && manifest.is_object()) {
    manifest.erase("sha256");
    const auto said = manifest.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    manifest["sha256"] = sha256(said);
    text = manifest.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::ofstream(folder / "manifest.json", std::ios::binary) << text;
  const auto checkpoint = read_newest_checkpoint(run().path(), "identity");
  for (const auto& [name, content] : checkpoint.files) {
    expect(name == "model.safetensors" || name == "manifest.json", "files lie in the folder");
    expect(name != "model.safetensors" || content == kModel, "files are as they were written");
  }
}

}  // namespace zoo
