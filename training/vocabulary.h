#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/model.h"
#include "text/text_data.h"
#include "training/checkpoint.h"
#include "vision/image_data.h"
#include "vision/pixel_statistics.h"

namespace zoo {

/// What images are brought to before a model reads them.
struct ImageInput {
  ImageSize size;
  PixelStatistics statistics;  ///< of the training split
};

/// What turns texts and images into what a model reads, and its answers into names: all that
/// inference needs of the data.
struct Vocabulary {
  Tokenizers tokenizers = {};
  std::vector<std::string> classes = {};
  std::optional<ImageInput> images = {};  ///< instead of tokenizers

  const Tokenizer& target() const { return *tokenizers.target; }
  const Tokenizer& source() const {
    return *(tokenizers.source ? tokenizers.source : tokenizers.target);
  }
};

Vocabulary vocabulary_of(const TextData& data);
Vocabulary vocabulary_of(const ImageData& data);

/// What it tells a model.
DataFacts facts_of(const Vocabulary& vocabulary);

/// Its files in a checkpoint, and what state.json says about them.
CheckpointFiles files_of(const Vocabulary& vocabulary);
nlohmann::json state_of(const Vocabulary& vocabulary);

/// That of a checkpoint. Throws UserError when a tokenizer is not the one that the weights were
/// trained with.
Vocabulary vocabulary_of(const Checkpoint& checkpoint);

}  // namespace zoo
