#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "text/tokenizers/subword_model.h"

namespace zoo {

struct WordPieceOptions {
  std::string unknown_token = "[UNK]";
  std::string continuing_prefix = "##";  ///< before a piece inside a word
  std::int64_t longest_word = 100;       ///< in characters; longer ones are unknown
};

/// BERT's WordPiece (Devlin et al., 2018): from left to right the longest piece that fits; a word
/// that does not come out is the unknown token.
class WordPieceModel : public SubwordModel {
 public:
  /// The tokens by id. Throws UserError for a token given twice and where the unknown token is not
  /// in the vocabulary.
  WordPieceModel(std::vector<std::string> tokens, WordPieceOptions options);
  WordPieceModel(const WordPieceModel&) = delete;
  WordPieceModel& operator=(const WordPieceModel&) = delete;

  void encode_word(std::string_view word, std::vector<std::int64_t>& ids) const override;
  const std::vector<std::string>& tokens() const override { return tokens_; }
  std::int64_t id_of(std::string_view token) const override;
  nlohmann::json to_json() const override;

 private:
  /// A text whose hash grew with it byte by byte, so that all beginnings of a word are looked up in
  /// the time that it takes to read the word once.
  struct Hashed {
    std::string_view text;
    std::size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const;
    std::size_t operator()(const Hashed& key) const { return key.hash; }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const { return a == b; }
    bool operator()(const Hashed& a, std::string_view b) const { return a.text == b; }
    bool operator()(std::string_view a, const Hashed& b) const { return a == b.text; }
  };
  /// Tokens without the prefix and their ids.
  struct Pieces {
    std::unordered_map<std::string_view, std::int32_t, Hash, Equal> ids;
    std::size_t longest = 0;
    void add(std::string_view text, std::int32_t id);
  };
  struct Match {
    std::int32_t id = -1;
    std::size_t size = 0;
  };
  static Match longest_match(const Pieces& pieces, std::string_view text);

  std::vector<std::string> tokens_;
  WordPieceOptions options_;
  Pieces first_;   // at the start of a word: all tokens
  Pieces inside_;  // views of tokens_ too
  std::int64_t unknown_id_ = -1;
};

}  // namespace zoo
