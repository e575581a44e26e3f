#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

namespace zoo {

/// A tokenizer made elsewhere as the tokenizer.json that it is or amounts to.
struct TokenizerFile {
  nlohmann::json json;
  std::string source;  ///< the file, for messages
};

/// Reads tokenizer.json, vocab.json with merges.txt (GPT-2's byte-level BPE) or vocab.txt (BERT's
/// WordPieces, lower-cased without accents as in BERT's uncased models), or finds one of these, in
/// this order, in a folder. Throws UserError naming the file and the line.
TokenizerFile read_tokenizer_file(const std::filesystem::path& path);

}  // namespace zoo
