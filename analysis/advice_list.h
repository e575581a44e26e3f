#pragma once

#include <string>
#include <vector>

#include "analysis/examination.h"

namespace zoo {

/// One rule of the doctor: its sentence, or "" where all is well.
struct AdviceRule {
  const char* id;
  std::string (*sentence)(const Examination& found);
};

/// About examples, splits, vocabulary and classes.
std::vector<AdviceRule> data_rules();

/// About the size of the model, the length of the run, its rates and what it costs.
std::vector<AdviceRule> training_rules();

}  // namespace zoo
