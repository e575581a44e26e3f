#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/experiment.h"

namespace zoo {

/// A counted model's loss on the split that an experiment is judged by.
struct Baseline {
  std::string name;
  double loss = 0.0;       ///< nats per predicted token
  std::int64_t grams = 0;  ///< distinct n-grams that were counted
};

/// Counts 1- to 5-grams on the experiment's training split (alpha 0.1), and the 5-gram once more
/// interpolated, and judges each on the same split as the experiment, seeing no more context. None
/// where the training split is so large that their tables would not fit.
std::vector<Baseline> counted_baselines(const Experiment& experiment);

}  // namespace zoo
