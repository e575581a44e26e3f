#pragma once

#include "apps/command.h"
#include "inference/generation.h"

namespace zoo {

/// Adds the options that say how tokens are drawn.
void add_generation_options(cxxopts::Options& options);

/// Reads them over `options`. Throws ConfigError for a value out of its range.
GenerationOptions generation_options(const cxxopts::ParseResult& arguments,
                                     GenerationOptions options);

}  // namespace zoo
