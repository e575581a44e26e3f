#include "text/tokenizers/character_tokenizer.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;

constexpr auto kAlphabet = "abcdefghijklmnopqrstuvwxyz";
const TokenRoles kRunning;
const TokenRoles kLines = {"$", ""};
const TokenRoles kPairs = {"<|b|>", "[SEP]"};

std::shared_ptr<const Tokenizer> tokenizer_of(std::string_view text, const TokenRoles& roles,
                                              UnknownCharacter unknown = {}) {
  TokenizerOptions options;
  options.unknown = unknown;
  return train_tokenizer(options, [&](const auto& visit) { visit(text); }, roles);
}

nlohmann::json names_json() { return tokenizer_of(kAlphabet, kLines)->to_json(); }

std::string read_message(const nlohmann::json& json) {
  return message_of<UserError>([&] { tokenizer_from_json(json, "t.json"); });
}

std::string role_message(const std::string& boundary, const std::string& separator = "[SEP]",
                         TokenizerType type = TokenizerType::kCharacter) {
  TokenizerOptions options;
  options.type = type;
  options.boundary = boundary;
  options.separator = separator;
  options.unknown = UnknownCharacter::kReplace;
  return message_of<ConfigError>([&] { options.validate("tokenizer"); });
}

}  // namespace

TEST_CASE("names give the boundary 0 and a to z 1 to 26") {
  const auto tokenizer = tokenizer_of(kAlphabet, kLines);
  CHECK(tokenizer->vocab_size() == 27);
  CHECK(tokenizer->boundary_id() == 0);
  CHECK(tokenizer->token(0) == "$");
  CHECK(tokenizer->encode("$sada$") == Ids{0, 19, 1, 4, 1, 0});
  CHECK(tokenizer->decode({0, 19, 1, 4, 1, 0}) == "$sada$");
}

TEST_CASE("the vocabulary of running text is its characters by code point, $ among them") {
  const auto tokenizer = tokenizer_of("b$a\n€éa", kRunning);
  CHECK(tokenizer->boundary_id() == -1);
  CHECK(tokenizer->decode({0, 1, 2, 3, 4, 5}) == "\n$abé€");
  CHECK(tokenizer->encode("a$€") == Ids{2, 1, 5});
}

TEST_CASE("encode and decode are inverse on every text of the vocabulary") {
  const std::string characters = "\n $aé€😀";
  const auto tokenizer = tokenizer_of(characters, kRunning);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Ids ids;
    for (std::uint64_t i = 0; i < 20; ++i) {
      ids.push_back(random_below(mixed_seed(seed, i), tokenizer->vocab_size()));
    }
    REQUIRE(tokenizer->encode(tokenizer->decode(ids)) == ids);
  }
  CHECK(tokenizer->decode(tokenizer->encode(characters)) == characters);
  CHECK(tokenizer->encode("").empty());
}

TEST_CASE("pairs have the boundary 0 and the separator 1, of any number of characters") {
  const auto tokenizer = tokenizer_of("ab", kPairs);
  CHECK(tokenizer->vocab_size() == 4);
  CHECK(tokenizer->boundary_id() == 0);
  CHECK(tokenizer->separator_id() == 1);
  CHECK(tokenizer->encode("<|b|>ab[SEP]ba<|b|>") == Ids{0, 2, 3, 1, 3, 2, 0});
  CHECK(tokenizer->decode({0, 2, 1, 3, 0}) == "<|b|>a[SEP]b<|b|>");
  CHECK(message_of<UserError>([&] { tokenizer->encode("a[SEP]é"); }) ==
        "the character \"é\" (U+00E9) at position 7 is not in the vocabulary of 4 tokens");
  CHECK(tokenizer_of("ab", kLines)->separator_id() == -1);
}

TEST_CASE("a line that contains the boundary or the separator is refused") {
  CHECK(message_of<UserError>([] { tokenizer_of("a$b", kLines); }) ==
        "a line contains the boundary \"$\"; set tokenizer.boundary to a token that no line has");
  CHECK(message_of<UserError>([] { tokenizer_of("a[SEP]", kPairs); }) ==
        "a line contains the separator \"[SEP]\"; set tokenizer.separator to a token that no line "
        "has");
}

TEST_CASE("text that is not UTF-8 is refused with the offset") {
  CHECK_THAT(message_of<UserError>([] { tokenizer_of("a\xff", kLines); }),
             ContainsSubstring("the training text: not UTF-8 at byte offset 1"));
  CHECK_THAT(message_of<UserError>([] { tokenizer_of("aé", kLines)->encode("aé\xc3"); }),
             ContainsSubstring("the text: not UTF-8 at byte offset 3"));
}

TEST_CASE("an unknown character is refused, skipped or replaced") {
  CHECK(message_of<UserError>([] { tokenizer_of("ab", kLines)->encode("aéb"); }) ==
        "the character \"é\" (U+00E9) at position 2 is not in the vocabulary of 3 tokens");
  CHECK(message_of<UserError>([] { tokenizer_of("ab", kLines)->encode("abx"); }) ==
        "the character \"x\" (U+0078) at position 3 is not in the vocabulary of 3 tokens");
  CHECK(tokenizer_of("ab", kLines, UnknownCharacter::kSkip)->encode("aéxb") == Ids{1, 2});
  const auto replacing = tokenizer_of("ab", kLines, UnknownCharacter::kReplace);
  CHECK(replacing->vocab_size() == 4);
  CHECK(replacing->encode("aéxb") == Ids{1, 3, 3, 2});
  CHECK(replacing->token(3) == "[UNK]");
}

TEST_CASE("an id outside the vocabulary is refused") {
  const auto tokenizer = tokenizer_of("ab", kLines);
  CHECK_THROWS_AS(tokenizer->token(-1), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->token(3), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->decode({0, 3}), std::out_of_range);
}

TEST_CASE("boundary and separator are different texts without line breaks") {
  CHECK(role_message("€") == "(nothing was thrown)");
  CHECK(role_message("<|endoftext|>") == "(nothing was thrown)");
  CHECK(role_message("") == "tokenizer.boundary: got \"\"; expected at least one character");
  CHECK(role_message("$", "") == "tokenizer.separator: got \"\"; expected at least one character");
  CHECK_THAT(role_message("a\nb"), ContainsSubstring("boundary: a line break cannot be in it"));
  CHECK_THAT(role_message("$", "\r"), ContainsSubstring("separator: a line break cannot be in it"));
  CHECK(role_message("$", "$") ==
        "tokenizer.separator: \"$\" is the boundary already; take another");
  CHECK_THAT(role_message("[UNK]"),
             ContainsSubstring("boundary: \"[UNK]\" stands for what is not"));
  CHECK_THAT(role_message(std::string(300, 'x')), ContainsSubstring("300 bytes; at most 256"));
  CHECK_THAT(message_of<UserError>([] { role_message("\xff"); }), ContainsSubstring("not UTF-8"));
  CHECK(role_message("Ġa", "[SEP]", TokenizerType::kByteBpe) ==
        "tokenizer.boundary: \"Ġa\" is how tokens of bytes write \" a\"; take another");
}

TEST_CASE("tokenizer.json keeps vocabulary, roles and rule for unknown characters") {
  for (const auto& roles : {kRunning, kLines, kPairs}) {
    for (const auto& [name, unknown] : names_of(UnknownCharacter{})) {
      const auto tokenizer = tokenizer_of("ba-\"\\\n€", roles, unknown);
      const auto text = tokenizer->to_json().dump();
      const auto again = tokenizer_from_json(nlohmann::json::parse(text), "t.json");
      INFO(name);
      CHECK(dynamic_cast<const CharacterTokenizer*>(again.get()) != nullptr);
      CHECK(again->to_json().dump() == text);
      CHECK(again->vocab_size() == tokenizer->vocab_size());
      CHECK(again->boundary_id() == tokenizer->boundary_id());
      CHECK(again->separator_id() == tokenizer->separator_id());
      CHECK(again->encode("ab€") == tokenizer->encode("ab€"));
      if (unknown == UnknownCharacter::kRefuse) {
        CHECK_THROWS_AS(again->encode("x"), UserError);
      } else {
        CHECK(again->encode("x") == tokenizer->encode("x"));
      }
    }
  }
}

TEST_CASE("tokenizer.json has Hugging Face's schema") {
  const auto json = tokenizer_of("ab", kLines, UnknownCharacter::kReplace)->to_json();
  CHECK(json["version"] == "1.0");
  CHECK(json["model"]["type"] == "BPE");
  CHECK(json["model"]["vocab"].dump() == R"({"$":0,"[UNK]":3,"a":1,"b":2})");
  CHECK(json["model"]["unk_token"] == "[UNK]");
  CHECK(json["added_tokens"][0]["content"] == "$");
  CHECK(json["post_processor"]["special_tokens"].dump() ==
        R"({"$":{"id":"$","ids":[0],"tokens":["$"]}})");
  CHECK(json["post_processor"]["single"].size() == 3);
}

TEST_CASE("a character tokenizer with another component is read as what it then is") {
  auto json = names_json();
  json["normalizer"] = {{"type", "Lowercase"}};
  const auto lowered = tokenizer_from_json(json, "t.json");
  CHECK(lowered->encode("$SAda$") == Ids{0, 19, 1, 4, 1, 0});
  CHECK(lowered->boundary_id() == 0);
  json = names_json();
  json["post_processor"] = nullptr;
  CHECK(tokenizer_from_json(json, "t.json")->boundary_id() == -1);
  json = names_json();
  json["model"]["vocab"].erase("z");
  json["model"]["vocab"]["ab"] = 26;
  CHECK(tokenizer_from_json(json, "t.json")->encode("ab") == Ids{1, 2});  // no merge makes it
  json["model"]["merges"].push_back("a b");
  CHECK(tokenizer_from_json(json, "t.json")->encode("ab") == Ids{26});
}

TEST_CASE("any other difference in a tokenizer.json is refused at its place") {
  auto json = names_json();
  json["model"]["dropout"] = 0.5;
  CHECK(read_message(json) == "t.json: /model/dropout: 0.5 is not supported; expected null or 0.0");
  json = names_json();
  json.erase("version");
  CHECK(read_message(json) == R"(t.json: has no "version")");
  json = names_json();
  json["extra"] = 1;
  CHECK(read_message(json) == R"(t.json: "extra" is not a part of a tokenizer.json)");
  json = names_json();
  json["model"]["unknown"] = "shout";
  CHECK(read_message(json) == R"(t.json: /model/unknown: got "shout"; expected "refuse")");
  json = names_json();
  json["post_processor"]["special_tokens"]["$"]["ids"] = {1};
  CHECK(read_message(json) ==
        "t.json: /post_processor/special_tokens: the ids are not those of the vocabulary");
}

}  // namespace zoo
