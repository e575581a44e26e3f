#include "text/tokenizer.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "text/character_tokenizer.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::size_t kCodePoints = 0x110000;

/// The distinct characters of the texts, sorted by code point.
std::vector<char32_t> distinct_characters(const std::vector<std::string_view>& texts) {
  std::vector<bool> seen(kCodePoints);
  for (const auto text : texts) {
    for (const auto character : decode_utf8(text, "the training text")) seen[character] = true;
  }
  std::vector<char32_t> characters;
  for (char32_t character = 0; character < kCodePoints; ++character) {
    if (seen[character]) characters.push_back(character);
  }
  return characters;
}

/// A component of a tokenizer.json by its type: "null", "BPE", or the JSON where there is no type.
std::string component_type(const nlohmann::json& json, const char* name) {
  const auto component = json.find(name);
  if (component == json.end() || component->is_null()) return "null";
  const bool typed =
      component->is_object() && component->contains("type") && component->at("type").is_string();
  return typed ? component->at("type").get<std::string>() : component->dump();
}

}  // namespace

void TokenizerOptions::validate(const std::string& path) const {
  const auto characters = decode_utf8(boundary, path + ".boundary");
  require<ConfigError>(characters.size() == 1, path, ".boundary: got ",
                       nlohmann::json(boundary).dump(), "; expected exactly one character");
  require<ConfigError>(boundary != "\n" && boundary != "\r", path,
                       ".boundary: a line break cannot be the boundary, it ends lines already");
}

std::shared_ptr<const Tokenizer> train_tokenizer(const TokenizerOptions& options,
                                                 const std::vector<std::string_view>& texts,
                                                 bool lines) {
  options.validate("tokenizer");
  auto characters = distinct_characters(texts);
  if (lines) {
    const auto boundary = decode_utf8(options.boundary, "tokenizer.boundary")[0];
    require<UserError>(!std::binary_search(characters.begin(), characters.end(), boundary),
                       "a line contains the boundary ", shown(boundary),
                       "; set tokenizer.boundary to a character that no line has");
    characters.insert(characters.begin(), boundary);
  }
  return std::make_shared<CharacterTokenizer>(characters, lines, options.unknown);
}

std::shared_ptr<const Tokenizer> tokenizer_from_json(const nlohmann::json& json,
                                                     const std::string& source) {
  require<UserError>(json.is_object(), source, ": expected an object");
  const auto expect = [&](const char* name, const std::vector<std::string>& supported) {
    const auto type = component_type(json, name);
    require<UserError>(std::find(supported.begin(), supported.end(), type) != supported.end(),
                       source, ": the ", name, " ", type,
                       " is not supported; supported: ", join(supported, ", "));
  };
  expect("model", {"BPE"});
  expect("normalizer", {"null"});
  expect("pre_tokenizer", {"null"});
  expect("post_processor", {"null", "TemplateProcessing"});
  expect("decoder", {"Fuse"});
  return character_tokenizer_from_json(json, source);
}

}  // namespace zoo
