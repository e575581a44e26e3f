#pragma once

#include <string>
#include <vector>

#include "models/model.h"
#include "text/text_data.h"
#include "training/checkpoint.h"

namespace zoo {

/// What turns texts into ids and answers into texts: all that inference needs of the data.
struct Vocabulary {
  Tokenizers tokenizers;
  std::vector<std::string> classes;

  const Tokenizer& target() const { return *tokenizers.target; }
  const Tokenizer& source() const {
    return *(tokenizers.source ? tokenizers.source : tokenizers.target);
  }
};

Vocabulary vocabulary_of(const TextData& data);

/// What it tells a model.
DataFacts facts_of(const Vocabulary& vocabulary);

/// Its files in a checkpoint, and what state.json says about them.
CheckpointFiles files_of(const Vocabulary& vocabulary);
nlohmann::json state_of(const Vocabulary& vocabulary);

/// That of a checkpoint. Throws UserError when a tokenizer is not the one that the weights were
/// trained with.
Vocabulary vocabulary_of(const Checkpoint& checkpoint);

}  // namespace zoo
