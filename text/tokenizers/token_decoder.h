#pragma once

#include <string>
#include <string_view>

#include "text/tokenizers/json_node.h"

namespace zoo {

/// The `decoder` of a tokenizer.json, which makes text of tokens: null (spaces between them), Fuse,
/// ByteLevel or WordPiece.
class TokenDecoder {
 public:
  /// Throws UserError naming the place of what is not supported or damaged.
  explicit TokenDecoder(const JsonNode& json);

  /// Appends the text of a token. `first`: it is the first one. `added`: an added token, which
  /// stands for itself.
  void append(std::string& text, std::string_view token, bool first, bool added) const;

 private:
  enum class Kind { kSpaces, kFuse, kByteLevel, kWordPiece };

  Kind kind_ = Kind::kSpaces;
  std::string prefix_;
  bool clean_up_ = false;
};

}  // namespace zoo
