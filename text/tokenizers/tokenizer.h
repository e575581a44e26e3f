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

/// The mask and the padding of a vocabulary that is learned.
inline constexpr const char* kMaskToken = "[MASK]";
inline constexpr const char* kPaddingToken = "[PAD]";

/// Which tokens are no text but have a role in the data; empty: none.
struct TokenRoles {
  std::string boundary = {};   ///< starts and ends a line
  std::string separator = {};  ///< between a source and its target
  std::string mask = {};       ///< stands for a hidden token
  std::string padding = {};    ///< fills rows; without one the boundary does
};

/// Text <-> token ids. Implementations are immutable once made and may be used by several threads.
class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  /// The ids of a text; no token of a role is added, but a special token that stands in the text
  /// gives its id. Throws UserError for text that is not UTF-8 (bytes take any) and for a
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

  /// The id that stands for a hidden token; -1: none.
  virtual std::int64_t mask_id() const = 0;

  /// The id that fills rows; -1: the boundary does.
  virtual std::int64_t padding_id() const = 0;

  /// Hugging Face's tokenizer.json, with everything that tokenizer_from_json needs.
  virtual nlohmann::json to_json() const = 0;
};

/// Calls its argument with one text after another: lines, or parts of running text that end where a
/// word ends. May be called several times.
using TextSource = std::function<void(const std::function<void(std::string_view)>&)>;

/// Learns a tokenizer from texts of the training split. The tokens of the roles that there are come
/// first in the vocabulary: boundary, separator, mask, padding. Throws UserError when a text
/// contains one of them; `place` is where messages say that the options stand.
std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                 const TextSource& texts, const TokenRoles& roles,
                                                 const std::string& place = "tokenizer");

/// Reads a tokenizer.json, ours or one made elsewhere. The template that we write says boundary and
/// separator; of the special added tokens the mask is [MASK] or else <mask>, the padding [PAD] or
/// else <pad>. Throws UserError naming `source`, the path in the JSON and what is wrong or not
/// supported.
std::shared_ptr<const Tokenizer> tokenizer_from_json(const nlohmann::json& json,
                                                     const std::string& source);

/// Loads a tokenizer made elsewhere (see TokenizerOptions::path) and gives its tokens the roles
/// boundary and separator; a mask only asks that it has one, whatever its name, padding asks
/// nothing. Throws UserError: no such file, damaged, a component that is not supported, a role
/// whose token it does not have.
std::shared_ptr<const Tokenizer> load_tokenizer(const std::filesystem::path& path,
                                                const TokenRoles& roles);

}  // namespace zoo
