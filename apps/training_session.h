#pragma once

#include <filesystem>
#include <optional>

#include "training/checkpoint.h"
#include "training/experiment.h"

namespace zoo {

/// How a session talks.
struct SessionOutput {
  bool quiet = false;  ///< no bar and no lines while training
  bool json = false;   ///< one JSON object at the end instead of tables
};

/// Trains into a run folder that exists, from its start or from a checkpoint, and prints the
/// result. Returns the exit code: done, or stopped by Ctrl-C.
int run_training_session(const std::filesystem::path& run, Experiment& experiment,
                         const std::optional<Checkpoint>& from, const SessionOutput& output);

}  // namespace zoo
