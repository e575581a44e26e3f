#pragma once

#include <string>
#include <vector>

#include "inference/trained_model.h"
#include "vision/image.h"

namespace zoo {

/// What a model takes a text or an image for.
struct Classification {
  std::vector<std::string> classes;   ///< the likeliest first
  std::vector<double> probabilities;  ///< of each

  const std::string& label() const { return classes.front(); }
  double probability() const { return probabilities.front(); }
};

/// The classes of each text, in their order. `cut`: a text that is too long loses its end; else it
/// is an error. Throws UserError as inputs_of does, and where the run tells no classes apart.
std::vector<Classification> classify(const TrainedModel& trained,
                                     const std::vector<std::string>& texts, bool cut = false);

/// The same of images that are prepared for the model.
std::vector<Classification> classify(const TrainedModel& trained, const std::vector<Image>& images);

/// The classes ranked for each row of logits [B, K].
std::vector<Classification> ranked(const std::vector<std::string>& classes,
                                   const torch::Tensor& logits);

}  // namespace zoo
