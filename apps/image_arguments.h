#pragma once

#include <string>
#include <vector>

#include "apps/command.h"
#include "inference/image_inputs.h"
#include "inference/run.h"

namespace zoo {

/// Adds --invert.
void add_image_options(cxxopts::Options& options);

/// Reads a PNG or JPEG file and prepares it for a run that reads images. Throws UserError naming
/// the file and what is wrong with it.
PreparedImage read_prepared_image(const cxxopts::ParseResult& arguments, const Run& run,
                                  const std::string& path);

}  // namespace zoo
