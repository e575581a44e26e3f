#include "training/run_folder.h"

#include <chrono>
#include <ctime>
#include <set>

#include <ATen/Version.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/version.h>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/version.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Data up to this size is copied into the run.
constexpr std::int64_t kLargestCopy = std::int64_t{64} << 20;

std::string local_time() {
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

/// What a data file is called among the run's hashes: its option, and of the many catalogues also
/// its name.
std::string key_of(const SourceFile& file) {
  if (file.option != "catalogues") return file.option;
  return file.option + "/" + fs::path(file.path).filename().string();
}

/// Copies a file, or a folder with all that it holds.
void copy_synced(const fs::path& from, const fs::path& to) {
  if (!fs::is_directory(from)) {
    write_file_synced(to, read_file(from));
    return;
  }
  make_folders(to);
  for (const auto& name : names_in(from)) copy_synced(from / name, to / name);
  sync_folder(to);
}

/// Copies the data into RUN/data and makes the options point there.
void keep_data(const fs::path& run, const std::vector<SourceFile>& files, Config& config) {
  std::int64_t total = 0;
  for (const auto& file : files) total += file.bytes;
  if (total > kLargestCopy) return;
  make_folders(run / "data");
  std::set<std::string> taken;
  for (const auto& file : files) {
    auto name = fs::path(file.path).filename().string();
    if (name.empty()) name = fs::path(file.path).parent_path().filename().string();
    if (!taken.insert(name).second) name = file.option + "-" + name;
    copy_synced(file.path, run / "data" / name);
    for (const auto& [option, path] : config.data_paths()) {
      if (option == file.option) *path = "data/" + name;
    }
  }
  sync_folder(run / "data");
  if (!config.data.catalogues.empty()) config.data.catalogue_folder = "data";
}

void require_run(const fs::path& run) {
  require<UserError>(fs::is_directory(run), run.string(), ": no such run folder");
  require<UserError>(fs::exists(run / "config.json"), run.string(),
                     ": is not a run: it has no config.json; if it was stopped while it was made, "
                     "delete it and train again");
}

/// A tokenizer that was loaded is kept beside the config, which then names the copy.
void keep_tokenizer(const fs::path& run, const std::string& name, const Tokenizer& tokenizer,
                    TokenizerOptions& options) {
  if (options.path.empty()) return;
  write_file_synced(run / name, tokenizer.to_json().dump(2) + "\n");
  options.path = name;
}

nlohmann::json hashes_of(const std::vector<SourceFile>& files) {
  auto hashes = nlohmann::json::object();
  for (const auto& file : files) {
    hashes[key_of(file)] = {{"sha256", file.sha256}, {"bytes", file.bytes}};
  }
  return hashes;
}

/// Throws UserError when the file is not the one that the hashes are of.
void check_unchanged(const SourceFile& file, const nlohmann::json& hashes) {
  const auto entry = hashes.value(key_of(file), nlohmann::json::object());
  const auto then = entry.value("sha256", "none");
  require<UserError>(hashes.empty() || then == file.sha256, file.path,
                     ": was changed since the run started (SHA-256 ", file.sha256.substr(0, 12),
                     "..., the run had ", then.substr(0, 12),
                     "); bring the old file back or start a new run");
}

/// What a config's data is read from, as far as it is files that are named one by one.
std::vector<SourceFile> single_files(Config config) {
  std::vector<SourceFile> files;
  for (const auto& [option, path] : config.data_paths()) {
    if (!fs::is_regular_file(*path)) continue;
    const auto bytes = read_file(*path);
    files.push_back({option, *path, sha256(bytes), static_cast<std::int64_t>(bytes.size())});
  }
  return files;
}

}  // namespace

nlohmann::json environment_of(torch::Device device) {
  return {{"zoo", version()},
          {"libtorch", TORCH_VERSION},
          {"threads", torch::get_num_threads()},
          {"processor", at::get_cpu_capability()},
          {"device", device.str()}};
}

fs::path fresh_run_folder(const Config& config) {
  const auto base = fs::path("runs") / text_of(config.data_name(), "-", config.general.architecture,
                                               "-", local_time());
  auto folder = base;
  for (int number = 2; fs::exists(folder); ++number) folder = text_of(base.string(), "-", number);
  return folder;
}

void create_run_folder(const fs::path& run, const Experiment& experiment) {
  // Of two that start at once, one makes the folder.
  const auto name = run.has_filename() ? run : run.parent_path();
  if (name.has_parent_path()) make_folders(name.parent_path());
  require<UserError>(make_new_folder(name), run.string(),
                     ": exists already; choose another --out, or go on with `zoo resume ",
                     run.string(), "`");
  auto config = experiment.config;
  keep_data(run, experiment.files(), config);
  const auto& vocabulary = experiment.vocabulary;
  if (!config.reads_images()) {
    keep_tokenizer(run, "tokenizer.json", vocabulary.target(), config.tokenizer);
  }
  if (config.source_tokenizer) {
    keep_tokenizer(run, "source_tokenizer.json", vocabulary.source(), *config.source_tokenizer);
  }
  auto made_with = environment_of(experiment.device);
  made_with["data"] = hashes_of(experiment.files());
  write_run_config(run, config, made_with);
}

FolderLock lock_run(const fs::path& run) {
  require_run(run);
  const auto checkpoints = run / "checkpoints";
  require<UserError>(!fs::is_symlink(checkpoints), checkpoints.string(),
                     ": is a link, and a run is written nowhere but in its folder; move here what "
                     "it leads to");
  return FolderLock(run);
}

RawConfig read_run_config(const fs::path& run, const std::vector<std::string>& settings) {
  require_run(run);
  return read_config(run / "config.json", settings);
}

void write_run_config(const fs::path& run, const Config& config, const nlohmann::json& made_with) {
  auto json = config.to_json();
  json["made_with"] = made_with;
  replace_file(run / "config.json", json.dump(2) + "\n");
}

Experiment with_known_data(const RawConfig& run_config, const Config& config,
                           const std::function<Experiment()>& load) {
  const auto made_with = run_config.document.value("made_with", nlohmann::json::object());
  const auto hashes = made_with.value("data", nlohmann::json::object());
  const auto loaded = [&] {
    try {
      return load();
    } catch (const UserError&) {
      for (const auto& file : single_files(config)) check_unchanged(file, hashes);
      throw;
    }
  };
  auto experiment = loaded();
  const auto& files = experiment.files();
  for (const auto& file : files) check_unchanged(file, hashes);
  require<UserError>(hashes.empty() || hashes.size() == files.size(), "data: the run had ",
                     hashes.size(), " files and there are ", files.size(),
                     " now; bring the old ones back or start a new run");
  return experiment;
}

}  // namespace zoo
