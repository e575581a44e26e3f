#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "inference/answers.h"
#include "text/near_duplicates.h"
#include "training/experiment.h"

namespace zoo {

/// What counting or remembering alone is worth on a split.
struct Baseline {
  std::string name;
  std::optional<double> loss;             ///< nats, as the experiment's own; unset: has none
  std::int64_t counts = 0;                ///< different things that were counted
  std::map<std::string, double> figures;  ///< the task's, those that it has
};

/// The baselines of the experiment's task on a split, seeing no more than the model does. None
/// where the training split is so large that their tables would not fit.
///
/// language_model: counted 1- to 5-grams (alpha 0.1), and the 5-gram once more interpolated.
/// masked_language_model: counted tokens, and tokens counted between both neighbours, on the same
/// masks. text_classification: the largest class, and naive Bayes over 1- to 4-grams of characters.
/// image_classification: the largest class, and the class of the nearest training image.
/// sequence_to_sequence: none; see translation_baselines.
std::vector<Baseline> baselines_of(const Experiment& experiment, const std::string& split);

/// Targets without a model.
struct TranslationBaseline {
  std::string name;
  std::vector<Answer> answers;
};

/// For the same sources: each copied, and the target of the training source that is most like it.
std::vector<TranslationBaseline> translation_baselines(const Experiment& experiment,
                                                       const std::vector<Answer>& answers);

/// Finds near duplicates of the training split's sources.
NearDuplicateIndex index_training_sources(const Experiment& experiment);

/// Those answers whose source is no near duplicate of one in the index.
std::vector<Answer> without_near_duplicates(const NearDuplicateIndex& index,
                                            const std::vector<Answer>& answers);

}  // namespace zoo
