#pragma once

#include "training/config.h"

namespace zoo {

/// Prints what the data of a config (paths that exist) holds and what is wrong with it: tables and
/// sentences, or one JSON object. Builds no model. Throws UserError for data that cannot be read.
void audit_data(const Config& config, bool json);

}  // namespace zoo
