#include "text/tokenizers/subword_model_json.h"

#include <string>
#include <utility>

#include "core/plain_text.h"
#include "text/tokenizers/bpe_model.h"
#include "text/tokenizers/wordpiece_model.h"

namespace zoo {
namespace {

using Json = nlohmann::json;
using Merges = std::vector<std::pair<std::string, std::string>>;

std::int64_t id_in(const Json& vocab, const std::string& token) {
  const auto entry = vocab.find(token);
  const bool found = entry != vocab.end() && entry->is_number_integer();
  return found ? entry->get<std::int64_t>() : -1;
}

/// The added tokens that are not in the vocabulary. One that is has the same id there.
std::vector<AddedToken> only_added(const JsonNode& vocab, const JsonNode& added) {
  std::vector<AddedToken> others;
  for (auto& token : added_tokens_from_json(added)) {
    const auto& content = token.content;
    if (!vocab.value().contains(content)) {
      others.push_back(std::move(token));
    } else if (const auto id = id_in(vocab.value(), content); id != token.id) {
      added.fail(in_quotes(content), " has the id ", token.id, ", in the vocabulary ", id);
    }
  }
  return others;
}

void put(std::vector<std::string>& tokens, const JsonNode& place, const std::string& token,
         const Json& id) {
  const auto value = id.is_number_integer() ? id.get<std::int64_t>() : -1;
  if (value < 0 || value >= static_cast<std::int64_t>(tokens.size())) {
    place.fail(in_quotes(token), " has the id ", shown_json(id), "; ids are 0 to ",
               tokens.size() - 1);
  }
  if (token.empty()) place.fail("the token of id ", value, " is empty");
  auto& slot = tokens[static_cast<std::size_t>(value)];
  if (!slot.empty()) place.fail("the id ", value, " is given twice");
  slot = token;
}

/// The model's tokens by id. Where it leaves out an id, that is an added token's.
std::vector<std::string> tokens_by_id(const JsonNode& vocab, const JsonNode& added) {
  if (!vocab.value().is_object() || vocab.value().empty()) {
    vocab.fail("expected an object of tokens and ids");
  }
  const auto others = only_added(vocab, added);
  std::vector<std::string> tokens(vocab.value().size() + others.size());
  if (tokens.size() > kMostTokens) {
    vocab.fail(tokens.size(), " tokens; at most ", kMostTokens, " are read");
  }
  for (const auto& [token, id] : vocab.value().get_ref<const Json::object_t&>()) {
    put(tokens, vocab, token, id);
  }
  auto end = tokens.size();
  while (tokens[end - 1].empty()) --end;
  for (const auto& token : others) put(tokens, added, token.content, token.id);
  tokens.resize(end);
  return tokens;
}

/// "a b", or in newer files ["a", "b"].
std::pair<std::string, std::string> merge_of(const JsonNode& merges, std::size_t index) {
  const auto& json = merges.value()[index];
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    const auto space = text.find(' ');
    const bool two = space != std::string::npos && text.find(' ', space + 1) == std::string::npos;
    if (two) return {text.substr(0, space), text.substr(space + 1)};
  } else if (json.is_array() && json.size() == 2 && json[0].is_string() && json[1].is_string()) {
    return {json[0].get<std::string>(), json[1].get<std::string>()};
  }
  JsonNode(json, text_of(merges.place(), "/", index))
      .expected("two tokens, as [\"a\", \"b\"] or \"a b\"");
}

Merges merges_from_json(const JsonNode& json) {
  if (!json.value().is_array()) json.expected("an array of merges");
  Merges merges;
  for (std::size_t i = 0; i < json.value().size(); ++i) merges.push_back(merge_of(json, i));
  return merges;
}

void refuse_unless_default(const JsonNode& model, const char* key, const Json& other_default) {
  const auto value = model.find(key);
  if (!value.is_null() && value.value() != other_default) {
    value.fail(shown_json(value.value()), " is not supported; expected null or ",
               other_default.dump());
  }
}

bool flag(const JsonNode& model, const char* key) {
  const auto value = model.find(key);
  return !value.is_null() && value.boolean();
}

BpeModelOptions bpe_options(const JsonNode& json, const Json& vocab) {
  refuse_unless_default(json, "dropout", 0.0);
  refuse_unless_default(json, "continuing_subword_prefix", "");
  refuse_unless_default(json, "end_of_word_suffix", "");
  refuse_unless_default(json, "byte_fallback", false);
  BpeModelOptions options;
  options.fuse_unk = flag(json, "fuse_unk");
  options.ignore_merges = flag(json, "ignore_merges");
  options.unknown = UnknownCharacter::kSkip;
  const auto token = json.find("unk_token");
  const auto rule = json.find("unknown");  // ours
  if (!token.is_null() && !token.text().empty()) {
    // Hugging Face's BPE, too, complains at the first unknown character, not before.
    const bool known = vocab.contains(token.text());
    options.unknown = known ? UnknownCharacter::kReplace : UnknownCharacter::kRefuse;
    if (known) options.unknown_token = token.text();
  }
  if (!rule.is_null()) {
    if (rule.value() != "refuse") rule.expected("\"refuse\"");
    if (!options.unknown_token.empty()) rule.fail("\"refuse\" beside an unk_token; keep one");
    options.unknown = UnknownCharacter::kRefuse;
  }
  return options;
}

std::shared_ptr<const SubwordModel> bpe_from_json(const JsonNode& json, const JsonNode& added) {
  auto tokens = tokens_by_id(json.at("vocab"), added);
  const auto options = bpe_options(json, json.at("vocab").value());
  return std::make_shared<BpeModel>(std::move(tokens), merges_from_json(json.at("merges")),
                                    options);
}

std::shared_ptr<const SubwordModel> wordpiece_from_json(const JsonNode& json,
                                                        const JsonNode& added) {
  constexpr std::int64_t kLongestWord = 1000;  // cutting a word takes quadratic time
  WordPieceOptions options;
  options.unknown_token = json.at("unk_token").text();
  options.continuing_prefix = json.at("continuing_subword_prefix").text();
  options.longest_word = json.at("max_input_chars_per_word").integer(1, kLongestWord);
  return std::make_shared<WordPieceModel>(tokens_by_id(json.at("vocab"), added), options);
}

}  // namespace

std::shared_ptr<const SubwordModel> subword_model_from_json(const JsonNode& json,
                                                            const JsonNode& added_tokens) {
  // Old files have no type.
  const bool typed = !json.find("type").is_null();
  const auto type = typed ? json.type() : json.find("merges").is_null() ? "WordPiece" : "BPE";
  if (type == "BPE") return bpe_from_json(json, added_tokens);
  if (type == "WordPiece") return wordpiece_from_json(json, added_tokens);
  json.fail(in_quotes(type), " is not supported; supported: BPE, WordPiece");
}

}  // namespace zoo
