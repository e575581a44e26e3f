#pragma once

#include <string>
#include <vector>

#include "training/experiment.h"

namespace zoo {

/// How much a prediction can teach what was read before it: the norm of the gradient of the loss
/// after a window's last token, with respect to the embedding of the token k before that one, at k;
/// the mean over windows of a split of running text. The model is the experiment's, as it stands,
/// without dropout. Throws UserError for other data, and for a model without embeddings.
std::vector<double> gradient_reach(const Experiment& experiment, const std::string& split);

}  // namespace zoo
