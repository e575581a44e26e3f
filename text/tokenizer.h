#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/options.h"

namespace zoo {

enum class TokenizerType { kCharacter };
inline EnumNames<TokenizerType> names_of(TokenizerType) {
  return {{"character", TokenizerType::kCharacter}};
}

/// What encoding does with a character outside the vocabulary.
enum class UnknownCharacter { kRefuse, kSkip, kReplace };
inline EnumNames<UnknownCharacter> names_of(UnknownCharacter) {
  return {{"refuse", UnknownCharacter::kRefuse},
          {"skip", UnknownCharacter::kSkip},
          {"replace", UnknownCharacter::kReplace}};
}

struct TokenizerOptions {
  TokenizerType type = TokenizerType::kCharacter;
  UnknownCharacter unknown = UnknownCharacter::kRefuse;
  std::string boundary = "$";

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("type", self.type, "What a token is.");
    visit(
        "unknown", self.unknown,
        "What becomes of a character that the training split does not have: an error, nothing, or "
        "the token [UNK].");
    visit("boundary", self.boundary,
          "The character that starts and ends every line; running text has none.");
  }
  void validate(const std::string& path) const;
};

/// Text <-> token ids. Implementations are immutable once made.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of a text; no boundary is added. Throws UserError for a character that is refused,
  /// naming it, its position (counted from 1) and the size of the vocabulary.
  virtual std::vector<std::int64_t> encode(std::string_view text) const = 0;

  /// The text of the ids, boundaries included: the inverse of encode.
  virtual std::string decode(const std::vector<std::int64_t>& ids) const = 0;

  virtual std::int64_t vocab_size() const = 0;

  /// The text of one token. Throws std::out_of_range for an id outside the vocabulary.
  virtual std::string token(std::int64_t id) const = 0;

  /// The id that starts and ends a line; -1 for running text.
  virtual std::int64_t boundary_id() const = 0;

  /// Hugging Face's tokenizer.json, with everything that tokenizer_from_json needs.
  virtual nlohmann::json to_json() const = 0;
};

/// Learns a tokenizer from texts of the training split. `lines`: the texts are lines, so that the
/// vocabulary starts with the boundary (id 0). Throws UserError when a line contains the boundary.
std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                 const std::vector<std::string_view>& texts,
                                                 bool lines);

/// Reads what to_json wrote. Throws UserError naming `source` and what is wrong or not supported.
std::shared_ptr<const Tokenizer> tokenizer_from_json(const nlohmann::json& json,
                                                     const std::string& source);

}  // namespace zoo
