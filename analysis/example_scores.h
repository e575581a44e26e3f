#pragma once

#include <string>

#include "analysis/paired_bootstrap.h"
#include "training/experiment.h"

namespace zoo {

/// What models of a task are compared by.
struct Yardstick {
  std::string name;  ///< "bits per character", "accuracy", ...
  bool higher_is_better = false;
};

/// Of language models bits per character of the original text, whatever their tokens; of classes
/// accuracy; of sequence_to_sequence the share of targets that are written right as a whole,
/// greedily; of masked tokens the pseudo-log-likelihood in bits per character, each token hidden by
/// itself.
Yardstick yardstick_of(const Config& config);

/// The yardstick of each example of a split: of lines, pairs, texts and images one each; of running
/// text blocks of 512 predicted tokens, or, for masked ones, windows, some 32,768 tokens of them.
/// The model is the experiment's, as it stands.
ExampleScores example_scores(const Experiment& experiment, const std::string& split);

/// Characters of each example of a split, the end of a line counted as one; running text as a
/// whole.
std::vector<double> characters_of(const TextData& text, const TextSplit& split);

}  // namespace zoo
