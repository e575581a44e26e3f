#pragma once

#include <cstdint>

#include "analysis/time_shares.h"

namespace zoo {

struct Experiment;

/// How long training steps take, and on what.
struct StepProfile {
  double milliseconds = 0.0;          ///< of a step
  double watched_milliseconds = 0.0;  ///< the same of the steps whose parts were timed
  PerWork seconds = {};               ///< of one of those, by kind
};

/// Milliseconds of a training step, after `warmup` steps that are not timed. Throws UserError for a
/// model that counts. The model is not what it was afterwards, nor with profile_steps.
double time_steps(Experiment& experiment, std::int64_t warmup, std::int64_t steps);

/// The same, and as many steps whose parts are timed, in turns with those that are not.
StepProfile profile_steps(Experiment& experiment, std::int64_t warmup, std::int64_t steps);

/// FLOPs of one of so many training steps, forward and backward, as measure_cost counts them; the
/// mean of some where rows have lengths of their own.
double flops_of_step(Experiment& experiment, std::int64_t steps);

}  // namespace zoo
