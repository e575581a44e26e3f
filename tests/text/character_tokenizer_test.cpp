#include "text/character_tokenizer.h"

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

std::shared_ptr<const Tokenizer> tokenizer_of(std::string_view text, bool lines,
                                              UnknownCharacter unknown = {}) {
  TokenizerOptions options;
  options.unknown = unknown;
  return train_tokenizer(options, {text}, lines);
}

nlohmann::json names_json() { return tokenizer_of(kAlphabet, true)->to_json(); }

std::string read_message(const nlohmann::json& json) {
  return message_of<UserError>([&] { tokenizer_from_json(json, "t.json"); });
}

std::string boundary_message(const std::string& boundary) {
  TokenizerOptions options;
  options.boundary = boundary;
  return message_of<ConfigError>([&] { options.validate("tokenizer"); });
}

}  // namespace

TEST_CASE("names give the boundary 0 and a to z 1 to 26") {
  const auto tokenizer = tokenizer_of(kAlphabet, true);
  CHECK(tokenizer->vocab_size() == 27);
  CHECK(tokenizer->boundary_id() == 0);
  CHECK(tokenizer->token(0) == "$");
  CHECK(tokenizer->encode("$sada$") == Ids{0, 19, 1, 4, 1, 0});
  CHECK(tokenizer->decode({0, 19, 1, 4, 1, 0}) == "$sada$");
}

TEST_CASE("the vocabulary of running text is its characters by code point, $ among them") {
  const auto tokenizer = tokenizer_of("b$a\n€éa", false);
  CHECK(tokenizer->boundary_id() == -1);
  CHECK(tokenizer->decode({0, 1, 2, 3, 4, 5}) == "\n$abé€");
  CHECK(tokenizer->encode("a$€") == Ids{2, 1, 5});
}

TEST_CASE("encode and decode are inverse on every text of the vocabulary") {
  const std::string characters = "\n $aé€😀";
  const auto tokenizer = tokenizer_of(characters, false);
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

TEST_CASE("a line that contains the boundary is refused") {
  CHECK(message_of<UserError>([] { tokenizer_of("a$b", true); }) ==
        "a line contains the boundary \"$\" (U+0024); set tokenizer.boundary to a character that "
        "no line has");
}

TEST_CASE("an unknown character is refused, skipped or replaced") {
  CHECK(message_of<UserError>([] { tokenizer_of("ab", true)->encode("aéb"); }) ==
        "the character \"é\" (U+00E9) at position 2 is not in the vocabulary of 3 tokens");
  CHECK(message_of<UserError>([] { tokenizer_of("ab", true)->encode("abx"); }) ==
        "the character \"x\" (U+0078) at position 3 is not in the vocabulary of 3 tokens");
  CHECK(tokenizer_of("ab", true, UnknownCharacter::kSkip)->encode("aéxb") == Ids{1, 2});
  const auto replacing = tokenizer_of("ab", true, UnknownCharacter::kReplace);
  CHECK(replacing->vocab_size() == 4);
  CHECK(replacing->encode("aéxb") == Ids{1, 3, 3, 2});
  CHECK(replacing->token(3) == "[UNK]");
}

TEST_CASE("an id outside the vocabulary is refused") {
  const auto tokenizer = tokenizer_of("ab", true);
  CHECK_THROWS_AS(tokenizer->token(-1), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->token(3), std::out_of_range);
  CHECK_THROWS_AS(tokenizer->decode({0, 3}), std::out_of_range);
}

TEST_CASE("the boundary is exactly one character and no line break") {
  CHECK(boundary_message("€") == "(nothing was thrown)");
  CHECK(boundary_message("") == "tokenizer.boundary: got \"\"; expected exactly one character");
  CHECK(boundary_message("ab") == "tokenizer.boundary: got \"ab\"; expected exactly one character");
  CHECK_THAT(boundary_message("\n"), ContainsSubstring("a line break cannot be the boundary"));
}

TEST_CASE("tokenizer.json keeps vocabulary, boundary and rule for unknown characters") {
  for (const bool lines : {false, true}) {
    for (const auto& [name, unknown] : names_of(UnknownCharacter{})) {
      const auto tokenizer = tokenizer_of("ba-\"\\\n€", lines, unknown);
      const auto text = tokenizer->to_json().dump();
      const auto again = tokenizer_from_json(nlohmann::json::parse(text), "t.json");
      INFO(name);
      CHECK(again->to_json().dump() == text);
      CHECK(again->vocab_size() == tokenizer->vocab_size());
      CHECK(again->boundary_id() == tokenizer->boundary_id());
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
  const auto json = tokenizer_of("ab", true, UnknownCharacter::kReplace)->to_json();
  CHECK(json["version"] == "1.0");
  CHECK(json["model"]["type"] == "BPE");
  CHECK(json["model"]["vocab"].dump() == R"({"$":0,"[UNK]":3,"a":1,"b":2})");
  CHECK(json["model"]["unk_token"] == "[UNK]");
  CHECK(json["added_tokens"][0]["content"] == "$");
  CHECK(json["post_processor"]["special_tokens"].dump() ==
        R"({"$":{"id":"$","ids":[0],"tokens":["$"]}})");
  CHECK(json["post_processor"]["single"].size() == 3);
}

TEST_CASE("a foreign component of a tokenizer.json is refused by name") {
  auto json = names_json();
  json["normalizer"] = {{"type", "NFC"}};
  CHECK(read_message(json) == "t.json: the normalizer NFC is not supported; supported: null");
  json = names_json();
  json["pre_tokenizer"] = {{"type", "ByteLevel"}, {"add_prefix_space", false}};
  CHECK(read_message(json) ==
        "t.json: the pre_tokenizer ByteLevel is not supported; supported: null");
  json = names_json();
  json["model"]["type"] = "WordPiece";
  CHECK(read_message(json) == "t.json: the model WordPiece is not supported; supported: BPE");
  json = names_json();
  json["decoder"] = nullptr;
  CHECK(read_message(json) == "t.json: the decoder null is not supported; supported: Fuse");
  CHECK(read_message(nlohmann::json::array()) == "t.json: expected an object");
  CHECK(read_message(nlohmann::json::object()) ==
        "t.json: the model null is not supported; supported: BPE");
}

TEST_CASE("any other difference in a tokenizer.json is refused at its place") {
  auto json = names_json();
  json["model"]["merges"].push_back("a b");
  CHECK(read_message(json) ==
        R"(t.json: /model/merges: got ["a b"], a character tokenizer has [])");
  json = names_json();
  json["model"]["dropout"] = 0.5;
  CHECK(read_message(json) == "t.json: /model/dropout: got 0.5, a character tokenizer has null");
  json = names_json();
  json.erase("version");
  CHECK(read_message(json) == R"(t.json: /version: got nothing, a character tokenizer has "1.0")");
  json = names_json();
  json["extra"] = 1;
  CHECK(read_message(json) == "t.json: /extra: got 1, a character tokenizer has nothing");
  json = names_json();
  json["model"]["unknown"] = "shout";
  CHECK(read_message(json) ==
        R"(t.json: /model/unknown: got "shout", a character tokenizer has "refuse")");
  json = names_json();
  json["post_processor"] = nullptr;
  CHECK_THAT(read_message(json), ContainsSubstring("t.json: /post_processor: got null"));
}

TEST_CASE("a vocabulary has the ids 0 to V-1 once each and one character a token") {
  auto json = names_json();
  json["model"]["vocab"]["a"] = 2;
  CHECK(read_message(json) == "t.json: model.vocab: the id 2 is given twice");
  for (const auto& id : {nlohmann::json(27), nlohmann::json(-1), nlohmann::json(1.5),
                         nlohmann::json("1"), nlohmann::json()}) {
    json["model"]["vocab"]["a"] = id;
    CHECK(read_message(json) ==
          "t.json: model.vocab: \"a\" has the id " + id.dump() + "; ids are 0 to 26");
  }
  json = names_json();
  json["model"]["vocab"].erase("a");
  json["model"]["vocab"]["ab"] = 1;
  CHECK(read_message(json) == "t.json: model.vocab: \"ab\" is not one character");
  json = names_json();
  json["model"]["vocab"].erase("a");
  json["model"]["vocab"][""] = 1;
  CHECK(read_message(json) == "t.json: model.vocab: the token of id 1 is empty");
  for (const auto& vocab : {nlohmann::json(), nlohmann::json::object(), nlohmann::json(3)}) {
    json["model"]["vocab"] = vocab;
    CHECK(read_message(json) == "t.json: model.vocab: expected an object of tokens and ids");
  }
}

}  // namespace zoo
