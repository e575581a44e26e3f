#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/options.h"

namespace zoo {

enum class TokenizerType { kCharacter, kBpe, kByteBpe, kWordPiece };
inline EnumNames<TokenizerType> names_of(TokenizerType) {
  return {{"character", TokenizerType::kCharacter},
          {"bpe", TokenizerType::kBpe},
          {"byte_bpe", TokenizerType::kByteBpe},
          {"wordpiece", TokenizerType::kWordPiece}};
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
  std::string path;
  std::int64_t vocab_size = 512;
  std::int64_t min_frequency = 2;
  UnknownCharacter unknown = UnknownCharacter::kRefuse;
  bool lowercase = true;
  std::string boundary = "$";
  std::string separator = "[SEP]";

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("type", self.type,
          "What a token is: a character, a piece learned by byte-pair encoding over characters or "
          "over bytes (GPT-2's), or a WordPiece (BERT's). Of a loaded tokenizer, its file says.");
    visit("path", self.path,
          "A tokenizer made elsewhere, instead of learning one: a tokenizer.json, vocab.json with "
          "merges.txt beside it, vocab.txt, or a folder that has one of these.");
    visit("vocab_size", self.vocab_size, "Tokens to learn, special ones included.", at_least(1));
    visit("min_frequency", self.min_frequency,
          "Two pieces are joined only if they meet this often in the training split.", at_least(1));
    visit(
        "unknown", self.unknown,
        "What becomes of a character that the training split does not have: an error, nothing, or "
        "the token [UNK]. Bytes know every character, WordPieces always have [UNK].");
    visit("lowercase", self.lowercase,
          "WordPieces: text is lower-cased and its accents are removed, as BERT's uncased models "
          "do.");
    visit("boundary", self.boundary,
          "The token that starts and ends every line; running text has none.");
    visit("separator", self.separator, "The token between a source and its target.");
  }
  void validate(const std::string& path) const;
};

/// Which tokens mark the parts of a line; empty: none.
struct TokenRoles {
  std::string boundary;   ///< starts, ends and pads a line
  std::string separator;  ///< between a source and its target
};

/// Text <-> token ids. Implementations are immutable once made and may be used by several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of a text; neither boundary nor separator is added, but a special token that stands in
  /// the text gives its id. Throws UserError for text that is not UTF-8 (bytes take any) and for a
  /// character that is refused, naming it, its position (counted from 1) and the size of the
  /// vocabulary.
  virtual std::vector<std::int64_t> encode(std::string_view text) const = 0;

  /// The text of the ids, special tokens included: where nothing was normalised away, the inverse
  /// of encode.
  virtual std::string decode(const std::vector<std::int64_t>& ids) const = 0;

  virtual std::int64_t vocab_size() const = 0;

  /// The text of one token as its vocabulary has it. Throws std::out_of_range for an id outside the
  /// vocabulary.
  virtual std::string token(std::int64_t id) const = 0;

  /// The id that starts and ends a line; -1 for running text.
  virtual std::int64_t boundary_id() const = 0;

  /// The id between a source and its target; -1 where there are no pairs.
  virtual std::int64_t separator_id() const = 0;

  /// Hugging Face's tokenizer.json, with everything that tokenizer_from_json needs.
  virtual nlohmann::json to_json() const = 0;
};

/// Calls its argument with one text after another: lines, or parts of running text that end where a
/// word ends. May be called several times.
using TextSource = std::function<void(const std::function<void(std::string_view)>&)>;

/// Learns a tokenizer from texts of the training split. The tokens of the roles come first in the
/// vocabulary: boundary 0, separator 1. Throws UserError when a text contains one of them.
std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                 const TextSource& texts, const TokenRoles& roles);

/// Reads a tokenizer.json: ours, whose template says the roles, or one made elsewhere. Throws
/// UserError naming `source`, the path in the JSON and what is wrong or not supported.
std::shared_ptr<const Tokenizer> tokenizer_from_json(const nlohmann::json& json,
                                                     const std::string& source);

/// Loads a tokenizer made elsewhere (see TokenizerOptions::path) and gives its tokens the roles.
/// Throws UserError: no such file, damaged, a component that is not supported, a role whose token
/// it does not have.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path,
                                                const TokenRoles& roles);

}  // namespace zoo
