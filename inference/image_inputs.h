#pragma once

#include <string>
#include <vector>

#include "inference/trained_model.h"
#include "vision/image.h"

namespace zoo {

/// An image as a model is given it.
struct PreparedImage {
  Image image;
  std::string changes;  ///< "28 x 28 to 8 x 8, colour to grey"; empty: it came like that
};

/// The image in the size and with the channels that the model reads.
PreparedImage prepared(const TrainedModel& trained, const Image& image);

/// The image with dark and bright exchanged: ink on paper for a model of chalk on a board.
Image inverted(Image image);

/// Prepared images -> Inputs.images [B, C, H, W], normalised.
Inputs inputs_of(const TrainedModel& trained, const std::vector<Image>& images);

}  // namespace zoo
