#include "text/tokenizers/subword_tokenizer.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "text/character_at.h"
#include "text/utf8.h"

namespace zoo {
namespace {

JsonNode part_of(const nlohmann::json& frame, const std::string& source, const char* name) {
  return JsonNode(frame, source, /*root=*/true).find(name);
}

}  // namespace

SubwordTokenizer::SubwordTokenizer(nlohmann::json frame, std::shared_ptr<const SubwordModel> model,
                                   const std::string& source)
    : frame_(std::move(frame)),
      model_(std::move(model)),
      normalizer_(part_of(frame_, source, "normalizer")),
      pre_tokenizer_(part_of(frame_, source, "pre_tokenizer")),
      decoder_(part_of(frame_, source, "decoder")) {
  add_tokens(added_tokens_from_json(part_of(frame_, source, "added_tokens")));
  set_roles(source);
}

void SubwordTokenizer::add_tokens(const std::vector<AddedToken>& tokens) {
  vocab_size_ = static_cast<std::int64_t>(model_->tokens().size());
  std::vector<AddedToken> literal;
  std::vector<AddedToken> normalized;
  std::unordered_set<std::string> contents;  // two tokens may have one normalized form
  for (auto token : tokens) {
    const auto content = token.content;
    vocab_size_ = std::max(vocab_size_, token.id + 1);
    if (token.normalized && !normalizer_.changes_nothing()) {
      token.content = normalizer_.apply(token.content);
    }
    added_.emplace(token.id, Added{content, token.content});
    added_ids_.emplace(content, token.id);
    if (!token.normalized) {
      literal.push_back(std::move(token));
    } else if (!token.content.empty() && contents.insert(token.content).second) {
      normalized.push_back(std::move(token));
    }
  }
  literal_tokens_ = TokenFinder(std::move(literal));
  normalized_tokens_ = TokenFinder(std::move(normalized));
}

void SubwordTokenizer::set_roles(const std::string& source) {
  const auto processor = part_of(frame_, source, "post_processor");
  const auto roles = roles_of_frame(frame_, source);
  const auto id_of_role = [&](const std::string& token) {
    if (token.empty()) return std::int64_t{-1};
    const auto id = id_of(token);
    if (id < 0) processor.fail(in_quotes(token), " is not in the vocabulary");
    return id;
  };
  roles_ = {id_of_role(roles.boundary), id_of_role(roles.separator), id_of_role(roles.mask),
            id_of_role(roles.padding)};
  if (!roles.boundary.empty() && processor.value() != role_template(roles, roles_)) {
    processor.at("special_tokens").fail("the ids are not those of the vocabulary");
  }
}

std::int64_t SubwordTokenizer::id_of(const std::string& token) const {
  const auto entry = added_ids_.find(token);
  return entry == added_ids_.end() ? model_->id_of(token) : entry->second;
}

std::vector<std::int64_t> SubwordTokenizer::encode(std::string_view text) const {
  if (!normalizer_.changes_nothing() || !pre_tokenizer_.takes_any_bytes()) {
    const auto valid = valid_utf8_prefix(text);
    if (valid < text.size()) refuse_utf8("the text", static_cast<std::int64_t>(valid));
  }
  Encoding encoding{text, {}, WordCache(text.size())};
  literal_tokens_.split(
      text, [&](std::string_view part) { encode_part(part, encoding); },
      [&](std::int64_t id) { encoding.ids.push_back(id); });
  return std::move(encoding.ids);
}

void SubwordTokenizer::encode_part(std::string_view part, Encoding& encoding) const {
  const bool keep = normalizer_.changes_nothing();
  const auto changed = keep ? std::string() : normalizer_.apply(part);
  normalized_tokens_.split(
      keep ? part : changed, [&](std::string_view rest) { encode_words(rest, encoding); },
      [&](std::int64_t id) { encoding.ids.push_back(id); });
}

void SubwordTokenizer::encode_words(std::string_view normalized, Encoding& encoding) const {
  const auto encode = [&](std::string_view word, std::vector<std::int64_t>& ids) {
    try {
      model_->encode_word(word, ids);
    } catch (const UnknownPiece& unknown) {
      refuse(word, unknown.offset, encoding.text);
    }
  };
  pre_tokenizer_.split(normalized, [&](std::string_view word) {
    encoding.cache.append(word, encoding.ids, encode);
  });
}

void SubwordTokenizer::refuse(std::string_view word, std::size_t offset,
                              std::string_view text) const {
  std::string place;
  if (normalizer_.changes_nothing() && pre_tokenizer_.keeps_text()) {
    const auto before = static_cast<std::size_t>(word.data() - text.data()) + offset;
    place = text_of(" at position ", count_characters(text.substr(0, before)) + 1);
  }
  throw UserError(text_of("the character ", shown(character_at(word, offset).code_point), place,
                          " is not in the vocabulary of ", vocab_size(), " tokens"));
}

std::string SubwordTokenizer::decode(const std::vector<std::int64_t>& ids) const {
  std::string text;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    check(ids[i]);
    const auto added = added_.find(ids[i]);
    const bool is_added = added != added_.end();
    const auto& token =
        is_added ? added->second.text : model_->tokens()[static_cast<std::size_t>(ids[i])];
    decoder_.append(text, token, i == 0, is_added);
  }
  return text;
}

std::int64_t SubwordTokenizer::vocab_size() const { return vocab_size_; }

void SubwordTokenizer::check(std::int64_t id) const {
  require<std::out_of_range>(id >= 0 && id < vocab_size_, "no token has the id ", id,
                             "; ids are 0 to ", vocab_size_ - 1);
}

std::string SubwordTokenizer::token(std::int64_t id) const {
  check(id);
  const auto added = added_.find(id);
  return added != added_.end() ? added->second.content
                               : model_->tokens()[static_cast<std::size_t>(id)];
}

nlohmann::json SubwordTokenizer::to_json() const {
  auto json = frame_;
  json["model"] = model_->to_json();
  return json;
}

}  // namespace zoo
