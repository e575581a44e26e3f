#pragma once

#include <string>
#include <vector>

#include <torch/types.h>

#include "inference/trained_model.h"
#include "vision/image.h"

namespace zoo {

/// Which patches of an image the heads of one attention layer looked at, on the way to the answer.
struct PatchAttention {
  std::string layer;      ///< "layer 2"
  torch::Tensor weights;  ///< [H, rows, columns] float32 on the CPU; what is missing from 1 went to
                          ///< [CLS]
};

/// Those of every layer while the model reads a prepared image: from [CLS] where the answer is read
/// from it, else the mean over all patches. Throws UserError where the architecture has no patches.
std::vector<PatchAttention> patch_attention(const TrainedModel& trained, const Image& image);

}  // namespace zoo
