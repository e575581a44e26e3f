#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/tokenizers/pair_table.h"
#include "text/tokenizers/subword_model.h"
#include "text/tokenizers/tokenizer.h"

namespace zoo {

struct BpeModelOptions {
  std::string unknown_token{};  ///< in the vocabulary; of kReplace, and empty otherwise
  UnknownCharacter unknown = UnknownCharacter::kRefuse;
  bool fuse_unk = false;       ///< neighbouring unknown characters become one unknown token
  bool ignore_merges = false;  ///< a word that is a token is not cut, whatever the merges say
};

/// Byte-pair encoding (Sennrich et al., 2016): a word's characters are joined pair by pair, always
/// the pair whose merge was learned first. Cuts words as Hugging Face's BPE does.
class BpeModel : public SubwordModel {
 public:
  /// The tokens by id, and the merges in the order they were learned; of a merge given twice the
  /// later place counts. Throws UserError for a token given twice, an unknown token that is
  /// missing, not in the vocabulary or of no use, and a merge whose parts or result are not in the
  /// vocabulary.
  BpeModel(std::vector<std::string> tokens, std::vector<std::pair<std::string, std::string>> merges,
           BpeModelOptions options);
  BpeModel(const BpeModel&) = delete;
  BpeModel& operator=(const BpeModel&) = delete;

  void encode_word(std::string_view word, std::vector<std::int64_t>& ids) const override;
  const std::vector<std::string>& tokens() const override { return tokens_; }
  std::int64_t id_of(std::string_view token) const override;
  nlohmann::json to_json() const override;

 private:
  using Piece = std::uint32_t;

  void add_tokens();
  void add_merges();

  /// The pieces of a word before anything is joined.
  void cut(std::string_view word, std::vector<Piece>& pieces) const;

  /// The token of a character, or kNone.
  Piece piece_of(std::string_view character, char32_t code_point) const;

  /// Both do the same: the first is quick for a word of everyday length, the second's time grows as
  /// n log n.
  void join_few(std::vector<Piece>& pieces) const;
  void join_many(std::vector<Piece>& pieces) const;

  std::vector<std::string> tokens_;
  std::vector<std::pair<std::string, std::string>> merges_;
  BpeModelOptions options_;
  std::unordered_map<std::string_view, Piece> ids_;  // views of tokens_
  std::array<Piece, 0x800> short_characters_;        // ids of characters of up to two bytes
  Piece unknown_ = PairTable::kNone;
  PairTable ranks_;             // the merge that joins a pair
  std::vector<Piece> results_;  // of each merge
};

}  // namespace zoo
