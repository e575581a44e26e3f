#pragma once

#include <vector>

#include "text/data_options.h"
#include "text/pairs.h"

namespace zoo {

/// Makes `examples` pairs of the task data.synthetic by rule, their sources distinct and in random
/// order, a function of the options alone; all there are where the task has fewer. Every length is
/// given its equal share as far as it has that many examples, so that short ones are not lost among
/// the long ones. (Addition draws its operands from all numbers alike.) Throws ConfigError naming
/// the option that the task cannot satisfy.
std::vector<TextPair> make_synthetic(const DataOptions& options);

}  // namespace zoo
