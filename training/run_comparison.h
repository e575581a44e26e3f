#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace zoo {

/// What two runs have in common at their newest checkpoints, to the last bit.
struct RunComparison {
  std::int64_t tensors = 0;  ///< of the model
  std::int64_t moments = 0;  ///< tensors of the optimizer
  std::int64_t states = 0;   ///< of the generators, and of where the run stands
  std::int64_t lines = 0;    ///< of metrics.jsonl, their times apart
  std::string difference;    ///< the first that was found, and its place; empty: there is none

  bool equal() const { return difference.empty(); }
};

/// Compares runs of a config with this identity (`Config::identity`). Throws UserError where one
/// has no checkpoint.
RunComparison compare_runs(const std::filesystem::path& one, const std::filesystem::path& other,
                           const std::string& identity);

}  // namespace zoo
