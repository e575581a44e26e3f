#pragma once

#include <cstdint>

#include "training/experiment.h"

namespace zoo {

/// Prints how many images each split and class has and the first `count` images of the first
/// batches as a model sees them, augmented, in characters; with `json` the numbers alone.
void show_images(const Experiment& experiment, std::int64_t count, bool json);

}  // namespace zoo
