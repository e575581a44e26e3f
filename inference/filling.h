#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inference/trained_model.h"

namespace zoo {

/// A token that may stand where one is hidden.
struct Candidate {
  std::string token;
  double probability = 0.0;
};

/// What may stand in a text's hidden places.
struct Filling {
  std::string text;                            ///< with the likeliest token in each
  double log_probability = 0.0;                ///< nats, sum over the places, each judged by itself
  std::vector<std::vector<Candidate>> places;  ///< the likeliest tokens of each, best first
};

/// Finds the tokens that [MASK] stands for in each text, `count` candidates a place. Throws
/// UserError for a text without one, and as inputs_of does.
std::vector<Filling> fill(const TrainedModel& trained, const std::vector<std::string>& texts,
                          std::int64_t count);

}  // namespace zoo
