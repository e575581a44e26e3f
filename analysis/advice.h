#pragma once

#include <string>
#include <vector>

#include "analysis/examination.h"

namespace zoo {

/// One thing to change: what is wrong, why, and the setting that would mend it.
struct Advice {
  std::string id;
  std::string sentence;
};

/// What a careful user would change, what stops the run first; docs/doctor.md has a line for each
/// id.
std::vector<Advice> advice_for(const Examination& found);

/// Every id that there is, in the same order.
std::vector<std::string> advice_ids();

}  // namespace zoo
