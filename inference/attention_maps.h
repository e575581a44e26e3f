#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "inference/trained_model.h"

namespace zoo {

/// What the heads of one attention layer looked at.
struct AttentionMap {
  std::string layer;                 ///< "layer 2", "decoder layer 1, cross-attention"
  std::vector<std::string> queries;  ///< T tokens that look
  std::vector<std::string> keys;     ///< S tokens that are looked at
  torch::Tensor weights;             ///< [H, T, S] float32 on the CPU, rows sum to 1
};

/// The weights of every attention layer while the model reads a text, and, of a run that
/// translates, writes `target`. Throws UserError where the architecture has no attention, and as
/// inputs_of does.
std::vector<AttentionMap> attention_maps(const TrainedModel& trained, const std::string& text,
                                         const std::string& target);

}  // namespace zoo
