#pragma once

#include <string>
#include <vector>

#include "apps/command.h"
#include "inference/samplers.h"

namespace zoo {

/// A way of drawing tokens, under the name that the user gave it.
struct NamedSampler {
  std::string name;
  SamplingOptions sampling;
};

/// Adds --samplers.
void add_samplers_option(cxxopts::Options& options);

/// Reads --samplers, "greedy,top-k=5,top-p=0.9+temperature=0.8", each over `base`; without the
/// option `base` alone, its name empty. Throws UserError naming the part that is wrong.
std::vector<NamedSampler> samplers_of(const cxxopts::ParseResult& arguments,
                                      const SamplingOptions& base);

}  // namespace zoo
