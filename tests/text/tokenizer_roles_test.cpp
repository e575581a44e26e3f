#include "text/tokenizers/tokenizer_roles.h"

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "text/tokenizers/added_tokens.h"
#include "text/tokenizers/character_tokenizer.h"
#include "text/tokenizers/tokenizer_json.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Json = nlohmann::json;

const TokenRoles kMarks = {"$", "[SEP]", kMaskToken, kPaddingToken};
const TokenRoles kOnlyMask = {.mask = kMaskToken};
const TokenRoles kOnlyPadding = {.padding = kPaddingToken};

std::shared_ptr<const Tokenizer> learn(TokenizerType type, const TokenRoles& roles,
                                       UnknownCharacter unknown = {},
                                       std::string_view text = "emma ava emma") {
  TokenizerOptions options;
  options.type = type;
  options.unknown = unknown;
  options.vocab_size = 300;
  return train_tokenizer(options, [&](const auto& visit) { visit(text); }, roles);
}

Ids role_ids(const Tokenizer& tokenizer) {
  return {tokenizer.boundary_id(), tokenizer.separator_id(), tokenizer.mask_id(),
          tokenizer.padding_id()};
}

/// The ids of boundary, separator, mask and padding in a vocabulary that is learned, and in what
/// its tokenizer.json gives.
void check_roles(const TokenRoles& roles, const Ids& expected) {
  for (const auto& [type_name, type] : names_of(TokenizerType{})) {
    for (const auto& [unknown_name, unknown] : names_of(UnknownCharacter{})) {
      INFO(type_name << ", unknown characters: " << unknown_name);
      const auto tokenizer = learn(type, roles, unknown);
      const auto again = tokenizer_from_json(tokenizer->to_json(), "t.json");
      CHECK(role_ids(*tokenizer) == expected);
      CHECK(role_ids(*again) == expected);
      CHECK(again->to_json() == tokenizer->to_json());
      const bool characters = dynamic_cast<const CharacterTokenizer*>(again.get()) != nullptr;
      CHECK(characters == (type == TokenizerType::kCharacter));
    }
  }
}

/// A tokenizer.json with these special tokens before the vocabulary a, b.
Json json_with(const std::vector<std::string>& specials) {
  auto json = tokenizer_frame(specials, {});
  auto vocab = Json::object();
  for (const auto& token : specials) vocab[token] = vocab.size();
  for (const auto* token : {"a", "b"}) vocab[token] = vocab.size();
  json["model"] = {{"type", "BPE"}, {"vocab", std::move(vocab)}, {"merges", Json::array()}};
  return json;
}

std::shared_ptr<const Tokenizer> read(const Json& json) {
  return tokenizer_from_json(json, "t.json");
}

std::string option_message(const std::string& boundary, const std::string& path = "") {
  TokenizerOptions options;
  options.boundary = boundary;
  options.path = path;
  return message_of<ConfigError>([&] { options.validate("tokenizer"); });
}

}  // namespace

TEST_CASE("the roles that there are have the first ids, in every type and after reading it back") {
  check_roles({}, {-1, -1, -1, -1});
  check_roles({"$", "[SEP]"}, {0, 1, -1, -1});
  check_roles(kMarks, {0, 1, 2, 3});
  check_roles(kOnlyMask, {-1, -1, 0, -1});
  check_roles(kOnlyPadding, {-1, -1, -1, 0});
  check_roles({.boundary = "$", .mask = kMaskToken, .padding = kPaddingToken}, {0, -1, 1, 2});
  check_roles({.boundary = "$", .separator = "[SEP]", .padding = kPaddingToken}, {0, 1, -1, 2});
}

TEST_CASE("a mask or padding that stands in a text gives its id, in every type") {
  for (const auto& [name, type] : names_of(TokenizerType{})) {
    INFO(name);
    const auto tokenizer = learn(type, kMarks);
    auto expected = tokenizer->encode("em");
    expected.push_back(2);
    for (const auto id : tokenizer->encode("a")) expected.push_back(id);
    CHECK(tokenizer->encode("em[MASK]a") == expected);
    CHECK(tokenizer->encode("[PAD][MASK]") == Ids{3, 2});
    CHECK(tokenizer->token(2) == "[MASK]");
    CHECK(learn(type, {"$", ""}, UnknownCharacter::kReplace)->encode("[MASK]").size() > 1);
  }
}

TEST_CASE("of the special tokens of a file [MASK] or else <mask> is the mask, as with padding") {
  CHECK(role_ids(*read(json_with({"<s>", "<mask>", "<pad>"}))) == Ids{-1, -1, 1, 2});
  CHECK(role_ids(*read(json_with({"<pad>", "<mask>", "[MASK]", "[PAD]"}))) == Ids{-1, -1, 2, 3});
  CHECK(role_ids(*read(json_with({"[CLS]", "mask", "[mask]"}))) == Ids{-1, -1, -1, -1});
  auto json = json_with({"[MASK]"});
  json["added_tokens"][0]["special"] = false;
  CHECK(read(json)->mask_id() == -1);
  json = json_with({"[MASK]"});
  json["added_tokens"] = Json::array();
  CHECK(read(json)->mask_id() == -1);
}

TEST_CASE("a tokenizer that is loaded for masks has one, padding may be missing") {
  const auto load = [](const std::vector<std::string>& specials, const TokenRoles& roles) {
    return tokenizer_with_roles(json_with(specials), roles, "x/tokenizer.json");
  };
  const TokenRoles marks = {"a", "b", kMaskToken, kPaddingToken};
  CHECK(role_ids(*load({"<mask>"}, marks)) == Ids{1, 2, 0, -1});
  CHECK(role_ids(*load({"[PAD]", "[MASK]"}, marks)) == Ids{2, 3, 1, 0});
  CHECK(role_ids(*load({}, kOnlyPadding)) == Ids{-1, -1, -1, -1});
  CHECK(message_of<UserError>([&] { load({"[PAD]"}, marks); }) ==
        "x/tokenizer.json: has no mask token ([MASK] or <mask>)");
}

TEST_CASE("BERT's vocab.txt has all roles, and its tokenizer.json keeps them") {
  const TemporaryFolder folder;
  const auto path = folder / "vocab.txt";
  write_file_synced(path, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n");
  const TokenRoles roles = {"[CLS]", "[SEP]", kMaskToken, kPaddingToken};
  const auto tokenizer = load_tokenizer(path, roles);
  CHECK(role_ids(*tokenizer) == Ids{2, 3, 4, 0});
  CHECK(tokenizer->encode("ab[MASK]a") == Ids{5, 6, 4, 5});
  write_file_synced(folder / "tokenizer.json", tokenizer->to_json().dump());
  CHECK(role_ids(*read(tokenizer->to_json())) == Ids{2, 3, 4, 0});
  CHECK(role_ids(*load_tokenizer(folder.path(), roles)) == Ids{2, 3, 4, 0});
  CHECK(role_ids(*load_tokenizer(folder.path(), {})) == Ids{-1, -1, 4, 0});
  const auto bare = folder / "bare.txt";
  write_file_synced(bare, "[UNK]\n[CLS]\n[SEP]\na\n");
  CHECK(message_of<UserError>([&] { load_tokenizer(bare, roles); }) ==
        bare.string() + ": has no mask token ([MASK] or <mask>)");
}

TEST_CASE("a training text that contains the mask or the padding is refused") {
  for (const auto& [name, type] : names_of(TokenizerType{})) {
    INFO(name);
    const auto message = [&, kind = type](const char* text) {
      return message_of<UserError>([&] { learn(kind, kMarks, {}, text); });
    };
    CHECK(message("em[MASK]a") ==
          "a line contains the mask \"[MASK]\", which only the task may put there; remove it from "
          "the text");
    CHECK_THAT(message("[PAD]"), ContainsSubstring("a line contains the padding \"[PAD]\""));
    CHECK(message("[MASK") == "(nothing was thrown)");
  }
}

TEST_CASE("boundary and separator are neither mask nor, of learned tokens, padding") {
  CHECK(option_message("[MASK]") ==
        "tokenizer.boundary: \"[MASK]\" stands for a hidden token; take another");
  CHECK_THAT(option_message("<mask>", "x.json"), ContainsSubstring("a hidden token"));
  CHECK(option_message("<pad>") == "tokenizer.boundary: \"<pad>\" fills rows; take another");
  CHECK(option_message("[PAD]", "x.json") == "(nothing was thrown)");
}

}  // namespace zoo
