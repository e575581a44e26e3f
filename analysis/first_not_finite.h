#pragma once

#include <string>

#include "training/experiment.h"
#include "training/step_watch.h"

namespace zoo {

/// Where the first number that is not finite came from in the step that failed: "the output of
/// blocks.0.attention (aten::softmax)", "the gradient of ...", or the parameter that held it
/// before. Makes the step again with every operator watched: the model must be as the trainer left
/// it, and learns no more after this. "" where nothing was found, e.g. of a loss that only rose.
std::string first_not_finite(Experiment& experiment, BatchSource& train, const Diverged& diverged);

}  // namespace zoo
