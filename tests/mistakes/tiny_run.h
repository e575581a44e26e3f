#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/temporary_folder.h"

namespace zoo {

/// A run of two steps that the program trained, and copies of it to be spoilt.
class TinyRun {
 public:
  TinyRun();

  std::string config() const { return (folder_ / "gpt.json").string(); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  /// A fresh copy, in place of the last one.
  std::filesystem::path copy() const;

 private:
  TemporaryFolder folder_;
};

/// Replaces a file of every checkpoint of the run. `sealed`: the manifest then says that this is
/// the file, so that what reads it has to notice.
void replace_in_checkpoints(const std::filesystem::path& run, const std::string& name,
                            const std::string& bytes, bool sealed);

/// Changes the JSON in a file.
void change_json(const std::filesystem::path& file,
                 const std::function<void(nlohmann::json&)>& change);

/// The same in every checkpoint of the run, its manifest sealed again.
void change_in_checkpoints(const std::filesystem::path& run, const std::string& name,
                           const std::function<void(nlohmann::json&)>& change);

/// A manifest's checksum of itself, made to fit where it has one.
void seal_manifest(nlohmann::json& manifest);

/// Writes without waiting for the disk.
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

}  // namespace zoo
