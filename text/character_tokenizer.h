#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "text/tokenizer.h"

namespace zoo {

/// One token a character (Unicode code point), and [UNK] as the last one where unknown characters
/// are replaced. In tokenizer.json it is a BPE model without merges, which is the same thing.
class CharacterTokenizer : public Tokenizer {
 public:
  /// `characters` in the order of their ids, each once. `boundary`: the first one starts and ends
  /// every line.
  CharacterTokenizer(std::vector<char32_t> characters, bool boundary, UnknownCharacter unknown);

  std::vector<std::int64_t> encode(std::string_view text) const override;
  std::string decode(const std::vector<std::int64_t>& ids) const override;
  std::int64_t vocab_size() const override;
  std::string token(std::int64_t id) const override;
  std::int64_t boundary_id() const override { return boundary_ ? 0 : -1; }
  nlohmann::json to_json() const override;

 private:
  /// The id of a character, or -1.
  std::int64_t id_of(char32_t character) const;

  std::vector<std::string> tokens_;
  bool boundary_;
  UnknownCharacter unknown_;
  std::array<std::int32_t, 128> ascii_ids_;
  std::unordered_map<char32_t, std::int32_t> other_ids_;
};

/// Throws UserError naming `source` for anything that CharacterTokenizer::to_json does not write.
std::shared_ptr<const Tokenizer> character_tokenizer_from_json(const nlohmann::json& json,
                                                               const std::string& source);

}  // namespace zoo
