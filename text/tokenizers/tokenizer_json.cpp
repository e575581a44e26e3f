#include "text/tokenizers/tokenizer_json.h"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/json_walk.h"
#include "core/names.h"
#include "text/tokenizers/character_tokenizer.h"
#include "text/tokenizers/json_node.h"
#include "text/tokenizers/subword_model_json.h"
#include "text/tokenizers/subword_tokenizer.h"
#include "text/tokenizers/tokenizer_roles.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostListed = 2 * kMostTokens;       // keys and values of tokens and merges
constexpr std::size_t kMostOthers = std::size_t{1} << 17;  // of the parts that are no lists

/// A tokenizer.json in two parts, each checked as far as it can be by itself.
struct Parts {
  Json frame;  // all but the model
  std::shared_ptr<const SubwordModel> model;
};

/// Walks over a document without keeping any of it, and throws UserError where it has more keys and
/// values than a tokenizer's.
class Bounds : public JsonWalk {
 public:
  explicit Bounds(const std::string& source) : source_(source) {}

  bool key(std::string& name) override {
    if (depth_ == 1) part_ = name;
    if (depth_ <= 2) {
      lists_ = part_ == "added_tokens" ||
               (depth_ == 2 && part_ == "model" && (name == "vocab" || name == "merges"));
    }
    return count();
  }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;  // who parses it next says what is wrong
  }

 private:
  bool enter() override {
    ++depth_;
    return depth_ <= kDeepest && count();  // as above
  }

  bool leave() override {
    --depth_;
    return true;
  }

  bool count() override {
    auto& counted = lists_ ? listed_ : others_;
    const auto most = lists_ ? kMostListed : kMostOthers;
    require<UserError>(++counted <= most, source_, ": more than ", most, " keys and values ",
                       lists_ ? "of tokens and merges" : "beside the tokens and merges");
    return true;
  }

  const std::string& source_;
  std::size_t depth_ = 0;
  std::string part_;    // the key at the top
  bool lists_ = false;  // in a part that grows with the vocabulary
  std::size_t listed_ = 0, others_ = 0;
};

void check_post_processor(const JsonNode& json) {
  if (json.is_null()) return;
  const std::set<std::string> known = {"TemplateProcessing", "BertProcessing", "RobertaProcessing",
                                       "ByteLevel", "Sequence"};
  const auto type = json.type();
  if (known.contains(type)) return;
  json.fail(in_quotes(type), " is not supported; supported: null, ",
            join({known.begin(), known.end()}, ", "));
}

void check_keys(const JsonNode& root) {
  const std::set<std::string> known = {"version",        "truncation", "padding",
                                       "added_tokens",   "normalizer", "pre_tokenizer",
                                       "post_processor", "decoder",    "model"};
  if (!root.value().is_object()) root.fail("expected an object");
  for (const auto& [key, value] : root.value().items()) {
    if (!known.contains(key)) root.fail(in_quotes(key), " is not a part of a tokenizer.json");
  }
  const auto version = root.at("version");
  if (version.value() != "1.0") version.expected("\"1.0\"");
}

Parts parts_of(const Json& json, const std::string& source) {
  const JsonNode root(json, source, /*root=*/true);
  check_keys(root);
  check_post_processor(root.find("post_processor"));
  Parts parts;
  parts.frame = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (key != "model") parts.frame[key] = value;
  }
  try {
    parts.model = subword_model_from_json(root.at("model"), root.find("added_tokens"));
  } catch (const UserError& error) {
    const std::string message = error.what();
    throw UserError(message.starts_with(source) ? message : source + ": " + message);
  }
  return parts;
}

std::shared_ptr<const Tokenizer> tokenizer_of(Parts parts, const std::string& source) {
  if (auto characters = character_tokenizer_from_json(parts.frame, *parts.model)) {
    return characters;
  }
  return std::make_shared<SubwordTokenizer>(std::move(parts.frame), std::move(parts.model), source);
}

/// What a message proposes instead of a token that is not there.
std::string special_tokens_text(const std::vector<AddedToken>& added, const char* role) {
  constexpr std::size_t kMostShown = 12;
  std::vector<std::string> specials;
  for (const auto& token : added) {
    if (token.special && specials.size() < kMostShown) specials.push_back(token.content);
  }
  if (specials.empty()) {
    return text_of("; it has no special tokens; set tokenizer.", role, " to one of its tokens");
  }
  return text_of("; its special tokens: ", join(specials, ", "), "; set tokenizer.", role,
                 " to one of them");
}

/// The id of a role's token, which becomes an added token if it is only one of the vocabulary.
std::int64_t take_role(Parts& parts, const std::string& token, const char* role,
                       const std::string& source) {
  if (token.empty()) return -1;
  auto& list = parts.frame["added_tokens"];
  const auto added = added_tokens_from_json(JsonNode(list, source + ": /added_tokens"));
  const auto same = std::find_if(added.begin(), added.end(),
                                 [&](const AddedToken& other) { return other.content == token; });
  if (same != added.end()) return same->id;
  const auto id = parts.model->id_of(token);
  require<UserError>(id >= 0, source, ": has no token ", in_quotes(token), ", which tokenizer.",
                     role, " names", id < 0 ? special_tokens_text(added, role) : "");
  if (list.is_null()) list = Json::array();
  list.push_back(special_token_json(token, id));
  return id;
}

}  // namespace

Json parse_bounded_json(std::string_view bytes, const std::string& source) {
  require<UserError>(bytes.size() <= kLargestTokenizerFile, source, ": ", bytes.size(),
                     " bytes; at most ", kLargestTokenizerFile, " are read");
  require_short_tokens(bytes, source);
  Bounds bounds(source);
  Json::sax_parse(bytes, &bounds, Json::input_format_t::json, /*strict=*/true,
                  /*ignore_comments=*/true);
  return parse_json(bytes, source, {kLargestTokenizerFile, bytes.size(), kDeepest});
}

std::shared_ptr<const Tokenizer> parse_tokenizer(std::string_view bytes,
                                                 const std::string& source) {
  return tokenizer_from_json(parse_bounded_json(bytes, source), source);
}

std::shared_ptr<const Tokenizer> tokenizer_from_json(const Json& json, const std::string& source) {
  return tokenizer_of(parts_of(json, source), source);
}

std::shared_ptr<const Tokenizer> tokenizer_with_roles(const Json& json, const TokenRoles& roles,
                                                      const std::string& source) {
  auto parts = parts_of(json, source);
  RoleIds ids;
  ids.boundary = take_role(parts, roles.boundary, "boundary", source);
  ids.separator = take_role(parts, roles.separator, "separator", source);
  const bool has_roles =
      !roles_of_template(parts.frame.value("post_processor", Json())).boundary.empty();
  if (has_roles || !roles.boundary.empty()) {
    parts.frame["post_processor"] = role_template(roles, ids);
  }
  require<UserError>(roles.mask.empty() || !roles_of_frame(parts.frame, source).mask.empty(),
                     source, ": has no mask token (",
                     join({kMaskTokens.begin(), kMaskTokens.end()}, " or "), ")");
  return tokenizer_of(std::move(parts), source);
}

}  // namespace zoo
