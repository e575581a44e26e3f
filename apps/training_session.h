#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "apps/command.h"
#include "training/checkpoint.h"
#include "training/experiment.h"

namespace zoo {

/// How long a session is, and how it talks.
struct SessionOptions {
  bool quiet = false;                      ///< no bar and no lines while training
  bool json = false;                       ///< one JSON object at the end instead of tables
  std::optional<std::int64_t> stop_after;  ///< updates of this session, then as Ctrl-C would
};

/// Adds --quiet, --stop-after and --json.
void add_session_options(cxxopts::Options& options);

/// What they say. Throws UserError for a number of updates below 1.
SessionOptions session_options(const cxxopts::ParseResult& arguments);

/// Trains into a run folder that exists, from its start or from a checkpoint, and prints the
/// result. Returns the exit code: done, also where it was to stop, or stopped by Ctrl-C.
int run_training_session(const std::filesystem::path& run, Experiment& experiment,
                         const std::optional<Checkpoint>& from, const SessionOptions& options);

}  // namespace zoo
