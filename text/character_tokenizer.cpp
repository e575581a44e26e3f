#include "text/character_tokenizer.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "text/utf8.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr const char* kUnknownToken = "[UNK]";

/// Puts the boundary before and after a text, as lines of the training data have it.
Json boundary_processor(const std::string& boundary) {
  const auto mark = [&](int type) {
    return Json{{"SpecialToken", {{"id", boundary}, {"type_id", type}}}};
  };
  const auto text = [](const char* id, int type) {
    return Json{{"Sequence", {{"id", id}, {"type_id", type}}}};
  };
  const Json special = {{"id", boundary}, {"ids", {0}}, {"tokens", {boundary}}};
  return {{"type", "TemplateProcessing"},
          {"single", {mark(0), text("A", 0), mark(0)}},
          {"pair", {mark(0), text("A", 0), mark(0), text("B", 1), mark(1)}},
          {"special_tokens", {{boundary, special}}}};
}

Json boundary_token(const std::string& boundary) {
  return {{"id", 0},         {"content", boundary}, {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

Json bpe_model(const std::vector<std::string>& tokens, UnknownCharacter unknown) {
  auto vocab = Json::object();
  for (std::size_t id = 0; id < tokens.size(); ++id) vocab[tokens[id]] = id;
  Json model = {{"type", "BPE"},
                {"dropout", nullptr},
                {"unk_token", nullptr},
                {"continuing_subword_prefix", nullptr},
                {"end_of_word_suffix", nullptr},
                {"fuse_unk", false},
                {"byte_fallback", false},
                {"ignore_merges", false},
                {"vocab", std::move(vocab)},
                {"merges", Json::array()}};
  if (unknown == UnknownCharacter::kReplace) model["unk_token"] = kUnknownToken;
  // Without an unk_token Hugging Face's BPE skips. It reads past this key, which is ours.
  if (unknown == UnknownCharacter::kRefuse) model["unknown"] = "refuse";
  return model;
}

/// The tokens in the order of their ids, which must be 0 .. V-1, each once.
std::vector<std::string> tokens_by_id(const Json& vocab, const std::string& source) {
  std::vector<std::string> tokens(vocab.size());
  for (const auto& [token, id] : vocab.items()) {
    const auto value = id.is_number_integer() ? id.get<std::int64_t>() : -1;
    require<UserError>(value >= 0 && value < static_cast<std::int64_t>(tokens.size()), source,
                       ": model.vocab: ", Json(token).dump(), " has the id ", id.dump(),
                       "; ids are 0 to ", tokens.size() - 1);
    auto& slot = tokens[static_cast<std::size_t>(value)];
    require<UserError>(slot.empty(), source, ": model.vocab: the id ", id.dump(),
                       " is given twice");
    require<UserError>(!token.empty(), source, ": model.vocab: the token of id ", id.dump(),
                       " is empty");
    slot = token;
  }
  return tokens;
}

/// Throws for the first place where a tokenizer.json differs from the one it should be.
void expect_same(const Json& found, const Json& expected, const std::string& source) {
  const auto differences = Json::diff(expected, found);
  if (differences.empty()) return;
  Json::json_pointer place(differences[0]["path"].get<std::string>());
  if (!place.empty() && place.back() == "-") place.pop_back();  // an item more than expected
  const auto at = [&](const Json& json) {
    const auto text = json.contains(place) ? json[place].dump(-1, ' ', true) : "nothing";
    return text.size() > 100 ? text.substr(0, 100) + "..." : text;
  };
  throw UserError(text_of(source, ": ", place.to_string(), ": got ", at(found),
                          ", a character tokenizer has ", at(expected)));
}

}  // namespace

CharacterTokenizer::CharacterTokenizer(std::vector<char32_t> characters, bool boundary,
                                       UnknownCharacter unknown)
    : boundary_(boundary), unknown_(unknown) {
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
  const auto characters = decode_utf8(text, "the text");
  std::vector<std::int64_t> ids;
  ids.reserve(characters.size());
  for (std::size_t i = 0; i < characters.size(); ++i) {
    const auto id = id_of(characters[i]);
    if (id >= 0) {
      ids.push_back(id);
    } else if (unknown_ == UnknownCharacter::kReplace) {
      ids.push_back(vocab_size() - 1);
    } else if (unknown_ == UnknownCharacter::kRefuse) {
      throw UserError(text_of("the character ", shown(characters[i]), " at position ", i + 1,
                              " is not in the vocabulary of ", vocab_size(), " tokens"));
    }
  }
  return ids;
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
  Json json = {{"version", "1.0"},
               {"truncation", nullptr},
               {"padding", nullptr},
               {"added_tokens", Json::array()},
               {"normalizer", nullptr},
               {"pre_tokenizer", nullptr},
               {"post_processor", nullptr},
               {"decoder", {{"type", "Fuse"}}},
               {"model", bpe_model(tokens_, unknown_)}};
  if (boundary_) {
    json["added_tokens"].push_back(boundary_token(tokens_[0]));
    json["post_processor"] = boundary_processor(tokens_[0]);
  }
  return json;
}

std::shared_ptr<const Tokenizer> character_tokenizer_from_json(const Json& json,
                                                               const std::string& source) {
  const auto& model = json.at("model");
  const auto vocab = model.find("vocab");
  require<UserError>(vocab != model.end() && vocab->is_object() && !vocab->empty(), source,
                     ": model.vocab: expected an object of tokens and ids");
  auto tokens = tokens_by_id(*vocab, source);
  auto unknown = model.contains("unknown") ? UnknownCharacter::kRefuse : UnknownCharacter::kSkip;
  if (tokens.back() == kUnknownToken) {
    unknown = UnknownCharacter::kReplace;
    tokens.pop_back();
  }
  std::vector<char32_t> characters;
  for (const auto& token : tokens) {
    const auto decoded = decode_utf8(token, source);
    require<UserError>(decoded.size() == 1, source, ": model.vocab: ", Json(token).dump(),
                       " is not one character");
    characters.push_back(decoded[0]);
  }
  const auto added = json.find("added_tokens");
  const bool boundary = added != json.end() && !added->empty() && !characters.empty();
  auto tokenizer = std::make_shared<CharacterTokenizer>(characters, boundary, unknown);
  expect_same(json, tokenizer->to_json(), source);
  return tokenizer;
}

}  // namespace zoo
