#include "text/tokenizers/character_tokenizer.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "text/character_at.h"
#include "text/tokenizers/bpe_model.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnknownToken = "[UNK]";

TokenFinder finder_of(const std::vector<std::string>& tokens) {
  std::vector<AddedToken> added;
  for (const auto& token : tokens) {
    added.push_back({.id = static_cast<std::int64_t>(added.size()), .content = token});
  }
  return TokenFinder(std::move(added));
}

/// The only character of a token, or kNoCharacter.
char32_t character_of(const std::string& token) {
  const auto [code_point, size] = character_at(token, 0);
  return size == token.size() ? code_point : kNoCharacter;
}

}  // namespace

CharacterTokenizer::CharacterTokenizer(const std::vector<char32_t>& characters,
                                       const TokenRoles& roles, UnknownCharacter unknown)
    : tokens_(tokens_of(roles)),
      roles_(roles),
      role_ids_(learned_ids(roles)),
      unknown_(unknown),
      role_tokens_(finder_of(tokens_)) {
  ascii_ids_.fill(-1);
  for (const auto character : characters) {
    const auto id = static_cast<std::int32_t>(tokens_.size());
    if (character < ascii_ids_.size()) {
      ascii_ids_[character] = id;
    } else {
      other_ids_.emplace(character, id);
    }
    append_utf8(tokens_.emplace_back(), character);
  }
  if (unknown_ == UnknownCharacter::kReplace) tokens_.emplace_back(kUnknownToken);
}

std::int64_t CharacterTokenizer::id_of(char32_t character) const {
  if (character < ascii_ids_.size()) return ascii_ids_[character];
  const auto entry = other_ids_.find(character);
  return entry == other_ids_.end() ? -1 : entry->second;
}

std::vector<std::int64_t> CharacterTokenizer::encode(std::string_view text) const {
  const auto valid = valid_utf8_prefix(text);
  if (valid < text.size()) refuse_utf8("the text", static_cast<std::int64_t>(valid));
  std::vector<std::int64_t> ids;
  ids.reserve(text.size());
  role_tokens_.split(
      text, [&](std::string_view part) { encode_part(part, text, ids); },
      [&](std::int64_t id) { ids.push_back(id); });
  return ids;
}

void CharacterTokenizer::encode_part(std::string_view part, std::string_view text,
                                     std::vector<std::int64_t>& ids) const {
  for (std::size_t at = 0; at < part.size();) {
    const auto [character, size] = character_at(part, at);
    const auto id = id_of(character);
    if (id >= 0) {
      ids.push_back(id);
    } else if (unknown_ == UnknownCharacter::kReplace) {
      ids.push_back(vocab_size() - 1);
    } else if (unknown_ == UnknownCharacter::kRefuse) {
      const auto before = static_cast<std::size_t>(part.data() - text.data()) + at;
      throw UserError(text_of("the character ", shown(character), " at position ",
                              count_characters(text.substr(0, before)) + 1,
                              " is not in the vocabulary of ", vocab_size(), " tokens"));
    }
    at += size;
  }
}

std::string CharacterTokenizer::decode(const std::vector<std::int64_t>& ids) const {
  std::string text;
  text.reserve(ids.size());
  for (const auto id : ids) text += token(id);
  return text;
}

std::int64_t CharacterTokenizer::vocab_size() const {
  return static_cast<std::int64_t>(tokens_.size());
}

std::string CharacterTokenizer::token(std::int64_t id) const {
  require<std::out_of_range>(id >= 0 && id < vocab_size(), "no token has the id ", id,
                             "; ids are 0 to ", vocab_size() - 1);
  return tokens_[static_cast<std::size_t>(id)];
}

Json CharacterTokenizer::to_json() const {
  BpeModelOptions options;
  options.unknown = unknown_;
  if (unknown_ == UnknownCharacter::kReplace) options.unknown_token = kUnknownToken;
  auto json = tokenizer_frame(tokens_of(roles_), roles_);
  json["model"] = BpeModel(tokens_, {}, options).to_json();
  return json;
}

std::shared_ptr<const Tokenizer> character_tokenizer_from_json(const Json& frame,
                                                               const SubwordModel& model) {
  const auto roles = roles_of_frame(frame, "tokenizer.json");
  const auto specials = tokens_of(roles);
  const auto& tokens = model.tokens();
  if (frame != tokenizer_frame(specials, roles) || tokens.size() < specials.size() ||
      !std::equal(specials.begin(), specials.end(), tokens.begin())) {
    return nullptr;
  }
  std::vector<char32_t> characters;
  for (auto i = specials.size(); i < tokens.size(); ++i) {
    const auto character = character_of(tokens[i]);
    const bool unknown = i + 1 == tokens.size() && tokens[i] == kUnknownToken;
    if (character == kNoCharacter && !unknown) return nullptr;
    if (!unknown) characters.push_back(character);
  }
  const auto json = model.to_json();
  auto unknown = json.contains("unknown") ? UnknownCharacter::kRefuse : UnknownCharacter::kSkip;
  if (json.value("unk_token", Json()) == kUnknownToken) unknown = UnknownCharacter::kReplace;
  const auto tokenizer = std::make_shared<CharacterTokenizer>(characters, roles, unknown);
  const bool same = tokenizer->vocab_size() == static_cast<std::int64_t>(tokens.size()) &&
                    tokenizer->to_json()["model"] == json;
  return same ? tokenizer : nullptr;
}

}  // namespace zoo
