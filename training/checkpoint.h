#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace zoo {

/// The files of one checkpoint: name -> bytes.
using CheckpointFiles = std::map<std::string, std::string>;

/// A checkpoint that was read and found whole.
struct Checkpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
  CheckpointFiles files;
  std::vector<std::string> skipped;  ///< newer ones that are not whole, and why, a line each

  /// Bytes of one file. Throws UserError when the checkpoint has none of that name.
  const std::string& file(const std::string& name) const;
};

/// Writes RUN/checkpoints/step-N so that a kill at any instant leaves the previous ones whole:
/// files and a manifest (sizes, SHA-256, `identity`) beside, each synced, then one rename; then
/// moves the link `last`. `identity` says which config the weights belong to.
void write_checkpoint(const std::filesystem::path& run, std::int64_t step,
                      const CheckpointFiles& files, const std::string& identity);

/// Points the link `best` at a step.
void mark_best(const std::filesystem::path& run, std::int64_t step);

/// Deletes all but the `keep` newest checkpoints and the best, and what a kill left half-written.
void prune_checkpoints(const std::filesystem::path& run, std::int64_t keep);

/// The newest checkpoint that is whole. Throws UserError when there is none, with the reasons.
Checkpoint read_newest_checkpoint(const std::filesystem::path& run, const std::string& identity);

/// The checkpoint "last", "best" or "step-N"; "best" falls back to the newest where none is marked.
/// Throws UserError that names the file and the check that failed.
Checkpoint read_checkpoint(const std::filesystem::path& run, const std::string& name,
                           const std::string& identity);

}  // namespace zoo
