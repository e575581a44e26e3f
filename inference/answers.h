#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inference/translation.h"
#include "training/experiment.h"

namespace zoo {

/// An example of a split, what is right about it, and what the model made of it: the target of a
/// source, the class of a text or an image, a text with its hidden tokens found.
struct Answer {
  std::string source;
  std::string wanted;
  Translation given;
};

/// Answers the first `count` examples of a split (-1: all), of a task that has right answers: any
/// but language_model.
std::vector<Answer> answer_split(const Experiment& experiment, const std::string& split,
                                 std::int64_t count, const TranslationOptions& options);

/// Images of a split that were taken for another class, the surest first, `count` at most.
std::vector<Answer> surest_mistakes(const Experiment& experiment, const std::string& split,
                                    std::int64_t count);

/// How well written targets match the wanted ones.
struct TranslationScores {
  std::int64_t pairs = 0;
  double exact_match = 0.0;  ///< share
  double bleu = 0.0;         ///< sacreBLEU's, in percent
  double chrf = 0.0;         ///< sacreBLEU's chrF2, in percent
};
TranslationScores score(const std::vector<Answer>& answers);

}  // namespace zoo
