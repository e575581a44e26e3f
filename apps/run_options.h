#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/command.h"
#include "inference/run.h"

namespace zoo {

/// Adds the positional RUN, --checkpoint and --device.
void add_run_options(cxxopts::Options& options);

/// The same with several positional RUNs, each a run folder or an export, and --set, which is laid
/// over the config of an export.
void add_runs_options(cxxopts::Options& options);

/// For the help of commands that open exports.
inline constexpr const char* kExportNote =
    "RUN may be a file that `zoo export` wrote. Such a file is a program, which is run: open only "
    "those\nthat you trust. Opening a run folder runs nothing.";

/// Opens the run that they name. Throws UserError for an export, which few commands can use.
Run open_run(const cxxopts::ParseResult& arguments);

/// Opens a run folder or an export, a file that `zoo export` wrote.
Run open_run_or_export(const cxxopts::ParseResult& arguments, const std::string& path);

/// Throws UserError unless the run learned the task, naming its own and the architectures that can
/// learn this one.
void require_task(const Run& run, TaskType task);

/// The command that runs of a task are used with.
const char* command_for(TaskType task);

/// Prints {run, results} as JSON.
void print_results(const Run& run, nlohmann::json results);

}  // namespace zoo
