#pragma once

#include <cstdint>

namespace zoo {

struct Experiment;

/// What a few seconds of a run showed.
struct Trial {
  std::int64_t steps = 0;           ///< that were timed
  double step_milliseconds = 0.0;   ///< mean of an update
  double evaluation_seconds = 0.0;  ///< of the whole judging split, from a part of it
  bool finite = true;               ///< whether every loss was a number
};

/// Trains the experiment's model on its own batches for about so many seconds, after steps that are
/// not timed, and evaluates it on a part of the judging split. The model has steps: it is not one
/// that counts. It is not what it was afterwards.
Trial try_out(Experiment& experiment, double seconds);

}  // namespace zoo
