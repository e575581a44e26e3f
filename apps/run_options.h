#pragma once

#include "apps/command.h"
#include "inference/run.h"

namespace zoo {

/// Adds the positional RUN, --checkpoint and --device.
void add_run_options(cxxopts::Options& options);

/// Opens the run that they name.
Run open_run(const cxxopts::ParseResult& arguments);

}  // namespace zoo
