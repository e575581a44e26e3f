#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/types.h>

#include "core/options.h"
#include "inference/trained_model.h"

namespace zoo {

/// Which of a text's vectors stands for all of it.
enum class Pooling { kMean, kFirst, kLast };
inline EnumNames<Pooling> names_of(Pooling) {
  return {{"mean", Pooling::kMean}, {"first", Pooling::kFirst}, {"last", Pooling::kLast}};
}

/// One vector a text: what the model's output layer reads (of an encoder-decoder, its memory), over
/// the text's tokens: [N, C]. Throws UserError where the architecture has no such vectors, and as
/// inputs_of does.
torch::Tensor text_vectors(const TrainedModel& trained, const std::vector<std::string>& texts,
                           Pooling pooling);

/// A line and how alike it is.
struct NearText {
  std::size_t number = 0;  ///< among the lines
  double cosine = 0.0;
};

/// The `count` lines [M, C] nearest to each text [N, C] by cosine, best first.
std::vector<std::vector<NearText>> nearest_texts(const torch::Tensor& texts,
                                                 const torch::Tensor& lines, std::int64_t count);

}  // namespace zoo
