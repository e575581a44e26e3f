#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text/tokenizers/added_tokens.h"
#include "text/tokenizers/subword_model.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/tokenizer_roles.h"

namespace zoo {

/// One token a character (Unicode code point), the tokens of the roles before them, and [UNK] after
/// them where unknown characters are replaced. In tokenizer.json it is a BPE model without merges,
/// which is the same thing.
class CharacterTokenizer : public Tokenizer {
 public:
  /// `characters` in the order of their ids, each once and no token of a role.
  CharacterTokenizer(const std::vector<char32_t>& characters, const TokenRoles& roles,
                     UnknownCharacter unknown);

  std::vector<std::int64_t> encode(std::string_view text) const override;
  std::string decode(const std::vector<std::int64_t>& ids) const override;
  std::int64_t vocab_size() const override;
  std::string token(std::int64_t id) const override;
  std::int64_t boundary_id() const override { return role_ids_.boundary; }
  std::int64_t separator_id() const override { return role_ids_.separator; }
  std::int64_t mask_id() const override { return role_ids_.mask; }
  std::int64_t padding_id() const override { return role_ids_.padding; }
  nlohmann::json to_json() const override;

  const TokenRoles& roles() const { return roles_; }
  /// What becomes of a character outside the vocabulary; replaced by the last token, if at all.
  UnknownCharacter unknown() const { return unknown_; }

 private:
  /// The id of a character, or -1.
  std::int64_t id_of(char32_t character) const;

  /// Encodes what stands between tokens of roles; `text` is the whole text, for messages.
  void encode_part(std::string_view part, std::string_view text,
                   std::vector<std::int64_t>& ids) const;

  std::vector<std::string> tokens_;
  TokenRoles roles_;
  RoleIds role_ids_;
  UnknownCharacter unknown_;
  TokenFinder role_tokens_;
  std::array<std::int32_t, 128> ascii_ids_;
  std::unordered_map<char32_t, std::int32_t> other_ids_;
};

/// The character tokenizer that a tokenizer.json, given as its model and the rest of it, stands
/// for; null where CharacterTokenizer::to_json does not write exactly this.
std::shared_ptr<const Tokenizer> character_tokenizer_from_json(const nlohmann::json& frame,
                                                               const SubwordModel& model);

}  // namespace zoo
