#include "training/checkpoint.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_file.h"
#include "core/names.h"
#include "core/sha256.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr int kFormatVersion = 1;
constexpr const char* kManifest = "manifest.json";
constexpr std::string_view kPrefix = "step-";

fs::path checkpoints_of(const fs::path& run) { return run / "checkpoints"; }
std::string name_of_step(std::int64_t step) { return text_of(kPrefix, step); }

/// The number in "step-N"; -1 for any other name.
std::int64_t step_of_name(const std::string& name) {
  if (!name.starts_with(kPrefix)) return -1;
  std::int64_t step = -1;
  const auto* begin = name.data() + kPrefix.size();
  const auto* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(begin, end, step);
  return error == std::errc() && stop == end && step >= 0 ? step : -1;
}

/// Steps that have a folder, newest first.
std::vector<std::int64_t> steps_of(const fs::path& run) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(checkpoints_of(run), error)) {
    const auto step = step_of_name(entry.path().filename().string());
    if (step >= 0) steps.push_back(step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

std::string manifest_of(const CheckpointFiles& files, const std::string& identity) {
  nlohmann::json manifest = {{"format_version", kFormatVersion}, {"identity", identity}};
  for (const auto& [name, bytes] : files) {
    manifest["files"][name] = {{"bytes", bytes.size()}, {"sha256", sha256(bytes)}};
  }
  return manifest.dump(2) + "\n";
}

/// Reads one folder and verifies it against its manifest. Throws UserError: file and check.
Checkpoint read_folder(const fs::path& folder, const std::string& identity) {
  const auto manifest_path = folder / kManifest;
  const auto manifest = read_json_file(manifest_path);
  const auto text = manifest_path.string();
  const bool readable =
      manifest.is_object() && manifest.value("files", nlohmann::json()).is_object();
  require<UserError>(readable, text, ": not a checkpoint manifest");
  require<UserError>(
      manifest.value("format_version", nlohmann::json()) == kFormatVersion, text,
      ": format_version is ", manifest.value("format_version", nlohmann::json()).dump(),
      ", this program reads ", kFormatVersion, "; it was made by another version of zoo");
  require<UserError>(manifest.value("identity", nlohmann::json()) == identity, text,
                     ": the weights belong to another architecture, task or model section than "
                     "config.json has now; restore config.json");
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  checkpoint.step = step_of_name(folder.filename().string());
  for (const auto& item : manifest.at("files").items()) {
    require<UserError>(item.key().find('/') == std::string::npos, text,
                       ": names a file outside: ", item.key());
    const auto path = folder / item.key();
    auto bytes = read_file(path);
    require<UserError>(item.value().value("bytes", nlohmann::json()) == bytes.size(), path.string(),
                       ": is ", bytes.size(), " bytes long, its manifest says ",
                       item.value().value("bytes", nlohmann::json()).dump(), "; it was cut");
    require<UserError>(item.value().value("sha256", nlohmann::json()) == sha256(bytes),
                       path.string(), ": its SHA-256 differs from its manifest; it was changed");
    checkpoint.files[item.key()] = std::move(bytes);
  }
  return checkpoint;
}

}  // namespace

const std::string& Checkpoint::file(const std::string& name) const {
  const auto found = files.find(name);
  require<UserError>(found != files.end(), folder.string(), ": has no ", name);
  return found->second;
}

void write_checkpoint(const fs::path& run, std::int64_t step, const CheckpointFiles& files,
                      const std::string& identity) {
  const auto parent = checkpoints_of(run);
  const auto final_folder = parent / name_of_step(step);
  auto beside = final_folder;
  beside += ".tmp";
  fs::remove_all(beside);
  make_folders(beside);
  for (const auto& [name, bytes] : files) write_file_synced(beside / name, bytes);
  write_file_synced(beside / kManifest, manifest_of(files, identity));
  sync_folder(beside);
  // A folder of the same step can only be a damaged one that resuming passed over.
  fs::remove_all(final_folder);
  rename_path(beside, final_folder);
  sync_folder(parent);
  replace_link(parent / "last", name_of_step(step));
}

void mark_best(const fs::path& run, std::int64_t step) {
  replace_link(checkpoints_of(run) / "best", name_of_step(step));
}

void prune_checkpoints(const fs::path& run, std::int64_t keep) {
  const auto parent = checkpoints_of(run);
  std::error_code error;
  const auto best = fs::read_symlink(parent / "best", error).string();
  const auto steps = steps_of(run);
  for (std::size_t i = static_cast<std::size_t>(keep); i < steps.size(); ++i) {
    if (name_of_step(steps[i]) != best) fs::remove_all(parent / name_of_step(steps[i]));
  }
  for (const auto& entry : fs::directory_iterator(parent)) {
    if (entry.path().extension() == ".tmp") fs::remove_all(entry.path());
  }
}

Checkpoint read_newest_checkpoint(const fs::path& run, const std::string& identity) {
  std::vector<std::string> skipped;
  for (const auto step : steps_of(run)) {
    try {
      auto checkpoint = read_folder(checkpoints_of(run) / name_of_step(step), identity);
      checkpoint.skipped = std::move(skipped);
      return checkpoint;
    } catch (const UserError& error) {
      skipped.emplace_back(error.what());
    }
  }
  throw UserError(text_of(run.string(), ": no whole checkpoint",
                          skipped.empty() ? "; the run was stopped before its first one" : ": ",
                          join(skipped, "; ")));
}

Checkpoint read_checkpoint(const fs::path& run, const std::string& name,
                           const std::string& identity) {
  const auto parent = checkpoints_of(run);
  if (step_of_name(name) >= 0) return read_folder(parent / name, identity);
  require<UserError>(name == "best" || name == "last", "--checkpoint: got ", name,
                     "; choose best, last or step-N");
  std::error_code error;
  const auto target = fs::read_symlink(parent / name, error).filename();
  if (error) return read_newest_checkpoint(run, identity);
  return read_folder(parent / target, identity);
}

}  // namespace zoo
