#pragma once

#include <string>

#include "apps/command.h"
#include "training/config.h"

namespace zoo {

/// A config as it was given, and checked.
struct ConfigArgument {
  RawConfig raw;
  Config config;   ///< as written
  Config located;  ///< with paths that exist
};

/// Adds the positional CONFIG and --set.
void add_config_argument(cxxopts::Options& options);

/// Reads the config that they name: a file, or one of the project's own where it is installed.
ConfigArgument config_argument(const cxxopts::ParseResult& arguments,
                               const std::string& name = "config");

}  // namespace zoo
