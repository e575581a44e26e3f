#include "training/checkpoint.h"

#include <algorithm>
#include <charconv>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/json_file.h"
#include "core/names.h"
#include "core/plain_text.h"
#include "core/sha256.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr int kFormatVersion = 2;
constexpr const char* kManifest = "manifest.json";
/// Of a file, in bytes: what file systems allow.
constexpr std::size_t kLongestName = 255;
constexpr const char* kUnfinished = ".tmp";
constexpr std::string_view kPrefix = "step-";

/// A whole checkpoint that this program, or this config, cannot use.
struct Foreign : UserError {
  using UserError::UserError;
};

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

fs::path folder_of_step(const fs::path& run, std::int64_t step) {
  return checkpoints_of(run) / name_of_step(step);
}

/// Steps that have a folder, newest first.
std::vector<std::int64_t> steps_of(const fs::path& run) {
  std::vector<std::int64_t> steps;
  for (const auto& name : names_in(checkpoints_of(run))) {
    const auto step = step_of_name(name);
    if (step >= 0) steps.push_back(step);
  }
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

/// The manifest's checksum of itself: without it, a flipped bit could make it one of a later
/// version.
std::string checksum_of(const nlohmann::json& manifest) { return sha256(manifest.dump()); }

std::string manifest_of(const CheckpointFiles& files, const std::string& identity) {
  nlohmann::json manifest = {{"format_version", kFormatVersion}, {"identity", identity}};
  for (const auto& [name, bytes] : files) {
    manifest["files"][name] = {{"bytes", bytes.size()}, {"sha256", sha256(bytes)}};
  }
  manifest["sha256"] = checksum_of(manifest);
  return manifest.dump(2) + "\n";
}

/// The manifest's part about files. Throws Foreign, and UserError for one that is damaged.
nlohmann::json read_manifest(const fs::path& path, const std::string& identity) {
  auto manifest = read_json_file(path);
  const auto text = path.string();
  const auto get = [](const nlohmann::json& object, const char* key) {
    return object.value(key, nlohmann::json());
  };
  require<UserError>(manifest.is_object() && get(manifest, "files").is_object(), text,
                     ": not a checkpoint manifest");
  const auto checksum = get(manifest, "sha256");
  manifest.erase("sha256");
  require<UserError>(checksum == checksum_of(manifest), text,
                     ": its SHA-256 differs from the one in it; it was changed");
  const auto version = get(manifest, "format_version");
  require<Foreign>(version == kFormatVersion, text, ": format_version is ", shown_json(version),
                   ", this program reads ", kFormatVersion,
                   "; it was made by another version of zoo, go on with that one");
  require<Foreign>(get(manifest, "identity") == identity, text,
                   ": the weights belong to another architecture, task or model section than "
                   "config.json has now; restore config.json");
  return manifest.at("files");
}

/// Reads one folder and verifies it against its manifest. Throws Foreign, and UserError that names
/// the file and the check that failed.
Checkpoint read_folder(const fs::path& folder, const std::string& identity) {
  const auto manifest_path = folder / kManifest;
  const auto files = read_manifest(manifest_path, identity);
  Checkpoint checkpoint;
  checkpoint.folder = folder;
  checkpoint.step = step_of_name(folder.filename().string());
  for (const auto& [name, expected] : files.items()) {
    const bool is_name =
        is_plain_text(name) && name.size() <= kLongestName && name.find('/') == std::string::npos;
    require<UserError>(is_name, manifest_path.string(),
                       ": names a file outside its folder, or none: ", shown_text(name));
    require<UserError>(expected.is_object(), manifest_path.string(), ": says nothing of ", name);
    const auto path = folder / name;
    auto bytes = read_file(path);
    const auto size = expected.value("bytes", nlohmann::json());
    require<UserError>(size == bytes.size(), path.string(), ": is ", bytes.size(),
                       " bytes long, its manifest says ", shown_json(size), "; it was cut");
    require<UserError>(expected.value("sha256", nlohmann::json()) == sha256(bytes), path.string(),
                       ": its SHA-256 differs from its manifest; it was changed");
    checkpoint.files[name] = std::move(bytes);
  }
  return checkpoint;
}

/// Writes the folder of a checkpoint where no reader looks for one.
void write_folder(const fs::path& folder, const CheckpointFiles& files,
                  const std::string& identity) {
  make_folders(folder);
  for (const auto& [name, bytes] : files) write_file_synced(folder / name, bytes);
  write_file_synced(folder / kManifest, manifest_of(files, identity));
  sync_folder(folder);
}

/// The folder beside another, which no reader takes for a checkpoint.
fs::path beside(fs::path folder) { return folder += kUnfinished; }

/// Takes the folder from the readers' sight in one step, then removes it.
void remove_folder(const fs::path& folder) {
  remove_path(beside(folder));
  rename_path(folder, beside(folder));
  remove_path(beside(folder));
}

void remove_unfinished(const fs::path& run) {
  for (const auto& name : names_in(checkpoints_of(run))) {
    if (name.ends_with(kUnfinished)) remove_path(checkpoints_of(run) / name);
  }
}

/// Points one of the links at a step, where it does not yet.
void point(const fs::path& run, const char* link, std::int64_t step) {
  const auto path = checkpoints_of(run) / link;
  if (target_of_link(path) != name_of_step(step)) replace_link(path, name_of_step(step));
}

}  // namespace

const std::string& Checkpoint::file(const std::string& name) const {
  const auto found = files.find(name);
  require<UserError>(found != files.end(), folder.string(), ": has no ", name);
  return found->second;
}

void write_checkpoint(const fs::path& run, std::int64_t step, const CheckpointFiles& files,
                      const std::string& identity) {
  const auto folder = folder_of_step(run, step);
  const auto unfinished = beside(folder);
  remove_path(unfinished);
  try {
    write_folder(unfinished, files, identity);
    if (has_checkpoint(run, step)) {
      exchange_folders(unfinished, folder);
    } else {
      rename_path(unfinished, folder);
    }
  } catch (const UserError&) {
    std::error_code ignored;  // what failed first is what the user must hear
    fs::remove_all(unfinished, ignored);
    throw;
  }
  sync_folder(checkpoints_of(run));
  point(run, "last", step);
  remove_path(unfinished);
}

bool has_checkpoint(const fs::path& run, std::int64_t step) {
  std::error_code missing;
  return fs::is_directory(folder_of_step(run, step), missing);
}

void mark_best(const fs::path& run, std::int64_t step) { point(run, "best", step); }

void remove_checkpoint(const fs::path& run, std::int64_t step) {
  if (has_checkpoint(run, step)) remove_folder(folder_of_step(run, step));
}

void prune_checkpoints(const fs::path& run, std::int64_t keep) {
  const auto best = target_of_link(checkpoints_of(run) / "best");
  const auto steps = steps_of(run);
  for (std::size_t i = static_cast<std::size_t>(keep); i < steps.size(); ++i) {
    if (name_of_step(steps[i]) != best) remove_checkpoint(run, steps[i]);
  }
  remove_unfinished(run);
}

void settle_checkpoints(const fs::path& run, std::int64_t last, std::int64_t best) {
  remove_unfinished(run);
  point(run, "last", last);
  if (has_checkpoint(run, best)) mark_best(run, best);
}

Checkpoint read_newest_checkpoint(const fs::path& run, const std::string& identity) {
  std::vector<PassedOver> skipped;
  for (const auto step : steps_of(run)) {
    try {
      auto checkpoint = read_folder(folder_of_step(run, step), identity);
      checkpoint.skipped = std::move(skipped);
      return checkpoint;
    } catch (const Foreign&) {
      throw;
    } catch (const UserError& error) {
      skipped.push_back({step, error.what()});
    }
  }
  std::vector<std::string> reasons;
  for (const auto& one : skipped) reasons.push_back(one.reason);
  throw UserError(text_of(run.string(), ": no whole checkpoint",
                          skipped.empty() ? "; the run was stopped before its first one, start it "
                                            "again with another --out"
                                          : ": ",
                          join(reasons, "; ")));
}

Checkpoint read_checkpoint(const fs::path& run, const std::string& name,
                           const std::string& identity) {
  if (step_of_name(name) >= 0) return read_folder(checkpoints_of(run) / name, identity);
  require<UserError>(name == "best" || name == "last", "--checkpoint: got ", name,
                     "; choose best, last or step-N");
  const auto link = checkpoints_of(run) / name;
  while (true) {
    const auto target = target_of_link(link).filename();
    if (target.empty()) return read_newest_checkpoint(run, identity);
    try {
      return read_folder(checkpoints_of(run) / target, identity);
    } catch (const UserError&) {
      // A training that goes on may have moved the link and deleted what it pointed at.
      if (target_of_link(link).filename() == target) throw;
    }
  }
}

}  // namespace zoo
