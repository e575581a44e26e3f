#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inference/generation.h"
#include "models/model.h"
#include "training/experiment.h"

namespace zoo {

/// What a model wrote for a source.
struct Translation {
  std::string text;
  double log_probability = 0.0;  ///< nats, sum over its tokens, the end included
  bool finished = false;         ///< it ended by itself, not at the most tokens there is room for
};

/// What translation needs of a run or an experiment; nothing is owned.
struct Translator {
  Model& model;
  const Tokenizer& tokenizer;
  std::int64_t block_size = 0;  ///< most tokens of source and target together; 0: any number
  bool cut = false;             ///< a source that leaves no room loses its end, else it is an error
};

/// A translator of the experiment's or the run's model.
Translator translator_of(Model& model, const Tokenizer& tokenizer, const Config& config);

/// Writes the target of every source, in their order. Sources of the same length share a batch, so
/// that nothing is padded. Throws UserError naming the source that leaves no room for a target.
std::vector<Translation> translate(const Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const GenerationOptions& options);

/// A pair of a split and what the model wrote for its source.
struct TranslatedPair {
  std::string source;
  std::string target;
  Translation translation;
};

/// Translates the first `count` sources of a split (-1: all).
std::vector<TranslatedPair> translate_split(const Experiment& experiment, const std::string& split,
                                            std::int64_t count, const GenerationOptions& options);

/// How well translations match their targets.
struct TranslationScores {
  std::int64_t pairs = 0;
  double exact_match = 0.0;  ///< share
  double bleu = 0.0;         ///< sacreBLEU's, in percent
  double chrf = 0.0;         ///< sacreBLEU's chrF2, in percent
};
TranslationScores score(const std::vector<TranslatedPair>& pairs);

}  // namespace zoo
