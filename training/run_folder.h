#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/files.h"
#include "training/config.h"
#include "training/experiment.h"

namespace zoo {

/// The versions, threads and device that numbers depend on.
nlohmann::json environment_of(torch::Device device);

/// "runs/<data>-<architecture>-<time>", which does not exist yet.
std::filesystem::path fresh_run_folder(const Config& config);

/// Makes a run folder with the resolved config (`config.json`) and, unless it is large, the data,
/// so that the folder alone is enough to resume and to evaluate. Throws UserError when it exists.
void create_run_folder(const std::filesystem::path& run, const Experiment& experiment);

/// Keeps other processes from writing the run while it lives. Throws UserError when the folder is
/// not a run or lies partly elsewhere, and when another process is using it.
FolderLock lock_run(const std::filesystem::path& run);

/// Reads RUN/config.json with `settings` over it. Throws UserError when the folder is not a run.
RawConfig read_run_config(const std::filesystem::path& run,
                          const std::vector<std::string>& settings = {});

/// Writes the config of a run again, e.g. after it was extended.
void write_run_config(const std::filesystem::path& run, const Config& config,
                      const nlohmann::json& made_with);

/// The experiment that `load` makes of a run's data, which `config` names. Throws UserError when a
/// file is not the one that the run started with, also where it is for that reason that it cannot
/// be loaded.
Experiment with_known_data(const RawConfig& run_config, const Config& config,
                           const std::function<Experiment()>& load);

}  // namespace zoo
