#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inference/beam_search.h"
#include "inference/generation.h"
#include "inference/trained_model.h"

namespace zoo {

/// Whether a run writes targets for sources rather than going on with a text.
inline bool translates(const Config& config) {
  return config.general.task == TaskType::kSequenceToSequence;
}

/// How targets are written.
struct TranslationOptions {
  GenerationOptions generation;  ///< greedy or drawn, where there is one beam
  BeamOptions beams;
  bool cut = false;  ///< a source that is too long loses its end, else it is an error
};

/// What a model wrote for a source.
struct Translation {
  std::string text;
  double log_probability = 0.0;  ///< nats, sum over its tokens, the end included
  bool finished = false;         ///< it ended by itself, not at the most tokens there is room for
};

/// Writes the target of every source, in their order: of one beam one each, of several as many as
/// there are beams, best first. A model that is a Decoder reads each source once; sources of
/// similar length share a batch. Throws UserError naming the source that leaves no room for a
/// target.
std::vector<std::vector<Translation>> translate(const TrainedModel& trained,
                                                const std::vector<std::string>& sources,
                                                const TranslationOptions& options);

}  // namespace zoo
