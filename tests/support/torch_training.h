#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {

/// A config on a small file that it writes into `folder`, of the kind that `task` is learned from
/// ("": the architecture's first one), for any architecture: the row's tiny options, with dropout
/// where the architecture has it.
RawConfig tiny_config(const std::filesystem::path& folder, const Architecture& architecture,
                      const std::vector<std::string>& settings = {}, const std::string& task = "");

/// Resolves, locates and makes.
Experiment make_tiny_experiment(const RawConfig& raw);

/// Trains into `run` up to `max_steps`, from its newest checkpoint if it has one; `stop_at` ends it
/// earlier, as Ctrl-C would.
Progress train_tiny(const std::filesystem::path& run, Experiment& experiment,
                    std::int64_t max_steps, std::int64_t stop_at = -1);

}  // namespace zoo
