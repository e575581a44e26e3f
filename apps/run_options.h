#pragma once

#include <nlohmann/json_fwd.hpp>

#include "apps/command.h"
#include "inference/run.h"

namespace zoo {

/// Adds the positional RUN, --checkpoint and --device.
void add_run_options(cxxopts::Options& options);

/// Opens the run that they name.
Run open_run(const cxxopts::ParseResult& arguments);

/// Throws UserError unless the run learned the task, naming its own and the architectures that can
/// learn this one.
void require_task(const Run& run, TaskType task);

/// The command that runs of a task are used with.
const char* command_for(TaskType task);

/// Prints {run, results} as JSON.
void print_results(const Run& run, nlohmann::json results);

}  // namespace zoo
