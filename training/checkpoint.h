#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace zoo {

/// The files of one checkpoint: name -> bytes.
using CheckpointFiles = std::map<std::string, std::string>;

/// A newer checkpoint that was passed over because it is not whole.
struct PassedOver {
  std::int64_t step = 0;
  std::string reason;  ///< the file and the check that failed
};

/// A checkpoint that was read and found whole.
struct Checkpoint {
  std::int64_t step = 0;
  std::filesystem::path folder;
  CheckpointFiles files;
  std::vector<PassedOver> skipped;  ///< newest first

  /// Bytes of one file. Throws UserError when the checkpoint has none of that name.
  const std::string& file(const std::string& name) const;
};

/// Writes RUN/checkpoints/step-N so that a kill at any instant leaves the previous ones whole:
/// files and a manifest (sizes, SHA-256, `identity`) beside, each synced, then one rename; then
/// moves the link `last`. `identity` says which config the weights belong to. Where it fails,
/// nothing half-written stays.
void write_checkpoint(const std::filesystem::path& run, std::int64_t step,
                      const CheckpointFiles& files, const std::string& identity);

/// Whether a step has a checkpoint, whole or not.
bool has_checkpoint(const std::filesystem::path& run, std::int64_t step);

/// Points the link `best` at a step.
void mark_best(const std::filesystem::path& run, std::int64_t step);

/// Deletes one checkpoint, if it is there.
void remove_checkpoint(const std::filesystem::path& run, std::int64_t step);

/// Deletes all but the `keep` newest checkpoints and the best, and what a kill left half-written.
void prune_checkpoints(const std::filesystem::path& run, std::int64_t keep);

/// Before a run goes on from a step: deletes what a kill left half-written or half-deleted, and
/// moves the links that it left behind. Where `best` has no checkpoint, that link stays.
void settle_checkpoints(const std::filesystem::path& run, std::int64_t last, std::int64_t best);

/// The newest checkpoint that is whole. Throws UserError when there is none, with the reasons, and
/// when the newest is whole but of a later version of zoo or another `identity`: to go on from an
/// older one would overwrite it.
Checkpoint read_newest_checkpoint(const std::filesystem::path& run, const std::string& identity);

/// The checkpoint "last", "best" or "step-N"; "best" falls back to the newest where none is marked.
/// Throws UserError that names the file and the check that failed.
Checkpoint read_checkpoint(const std::filesystem::path& run, const std::string& name,
                           const std::string& identity);

}  // namespace zoo
