#pragma once

#include "apps/command.h"
#include "inference/beam_search.h"
#include "inference/generation.h"

namespace zoo {

/// Adds the options that say how tokens are drawn.
void add_generation_options(cxxopts::Options& options);

/// Reads them over `options`. Throws ConfigError for a value out of its range.
GenerationOptions generation_options(const cxxopts::ParseResult& arguments,
                                     GenerationOptions options);

/// Adds --beams and --length-penalty.
void add_beam_options(cxxopts::Options& options);

/// Reads them. Throws ConfigError for a value out of its range.
BeamOptions beam_options(const cxxopts::ParseResult& arguments);

}  // namespace zoo
