#include "text/tokenizers/tokenizer_json.h"

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Json = nlohmann::json;

/// GPT-2's file in small: tokens a, b, ab and the mark of a text.
Json gpt2() {
  return Json::parse(R"json({
    "version": "1.0", "truncation": null, "padding": null,
    "added_tokens": [{"id": 3, "content": "<|endoftext|>", "single_word": false, "lstrip": false,
                      "rstrip": false, "normalized": true, "special": true}],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true},
    "post_processor": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": false},
    "decoder": {"type": "ByteLevel", "add_prefix_space": true, "trim_offsets": true},
    "model": {"dropout": null, "unk_token": null, "continuing_subword_prefix": "",
              "end_of_word_suffix": "", "fuse_unk": false,
              "vocab": {"a": 0, "b": 1, "ab": 2, "<|endoftext|>": 3}, "merges": ["a b"]}
  })json");
}

/// BERT's file in small.
Json bert() {
  return Json::parse(R"json({
    "version": "1.0", "truncation": {"max_length": 512}, "padding": null,
    "added_tokens": [{"id": 0, "content": "[UNK]", "special": true},
                     {"id": 1, "content": "[CLS]", "special": true},
                     {"id": 2, "content": "[SEP]", "special": true}],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                   "strip_accents": null, "lowercase": true},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100,
              "vocab": {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "a": 3, "##b": 4}}
  })json");
}

std::shared_ptr<const Tokenizer> read(const Json& json) {
  return tokenizer_from_json(json, "t.json");
}

std::string message(const Json& json) {
  return message_of<UserError>([&] { read(json); });
}

/// The message after one value was replaced, or put where none was.
std::string message_with(Json json, const std::string& place, const Json& value) {
  json[Json::json_pointer(place)] = value;
  return message(json);
}

std::string parse_message(const std::string& bytes) {
  return message_of<UserError>([&] { parse_tokenizer(bytes, "t.json"); });
}

Json without(Json json, const std::string& place, const std::string& key) {
  json[Json::json_pointer(place)].erase(key);
  return json;
}

}  // namespace

TEST_CASE("files of GPT-2's and BERT's kind are read, without a role") {
  const auto bytes = read(gpt2());
  CHECK(bytes->vocab_size() == 4);
  CHECK(bytes->encode("abba<|endoftext|>") == Ids{2, 1, 0, 3});
  CHECK(bytes->decode({2, 3}) == "ab<|endoftext|>");
  CHECK(bytes->boundary_id() == -1);
  const auto words = read(bert());
  CHECK(words->encode("[CLS]AB a [SEP] x") == Ids{1, 3, 4, 3, 2, 0});
  CHECK(words->decode({3, 4, 3}) == "ab a");
  CHECK(words->boundary_id() == -1);
}

TEST_CASE("what a file has is kept, and read back the same") {
  for (const auto& json : {gpt2(), bert()}) {
    const auto written = read(json)->to_json();
    for (const auto* key : {"truncation", "added_tokens", "normalizer", "post_processor"}) {
      CHECK(written[key] == json[key]);
    }
    CHECK(written["model"]["vocab"] == json["model"]["vocab"]);
    CHECK(read(written)->to_json() == written);
  }
}

TEST_CASE("one token may have both roles, and they come back") {
  const auto both = tokenizer_with_roles(gpt2(), {"<|endoftext|>", "<|endoftext|>"}, "t.json");
  CHECK(read(both->to_json())->separator_id() == 3);
  const auto lines = tokenizer_with_roles(gpt2(), {"<|endoftext|>", ""}, "t.json");
  CHECK(read(lines->to_json())->boundary_id() == 3);
  CHECK(read(lines->to_json())->separator_id() == -1);
}

TEST_CASE("roles are given to tokens of a file and written as a template") {
  const auto bytes = tokenizer_with_roles(gpt2(), {"<|endoftext|>", "b"}, "t.json");
  CHECK(bytes->boundary_id() == 3);
  CHECK(bytes->separator_id() == 1);
  const auto again = read(bytes->to_json());
  CHECK(again->boundary_id() == 3);
  CHECK(again->separator_id() == 1);
  CHECK(again->encode("aba") == Ids{0, 1, 0});  // a separator is no part of a word
  const auto words = tokenizer_with_roles(bert(), {"[CLS]", "[SEP]"}, "t.json");
  CHECK(words->boundary_id() == 1);
  CHECK(words->to_json()["post_processor"]["pair"].size() == 5);
  CHECK(words->to_json()["truncation"] == bert()["truncation"]);
  const auto running = tokenizer_with_roles(words->to_json(), {}, "t.json");
  CHECK(running->boundary_id() == -1);
  CHECK(running->to_json()["post_processor"].is_null());
  CHECK(tokenizer_with_roles(bert(), {}, "t.json")->to_json()["post_processor"] ==
        bert()["post_processor"]);
}

TEST_CASE("a role whose token is not there is refused") {
  const auto refused = [](Json json, const TokenRoles& roles) {
    return message_of<UserError>([&] { tokenizer_with_roles(json, roles, "gpt2/tokenizer.json"); });
  };
  CHECK(refused(gpt2(), {"$", ""}) ==
        "gpt2/tokenizer.json: has no token \"$\", which tokenizer.boundary names; its special "
        "tokens: <|endoftext|>; set tokenizer.boundary to one of them");
  CHECK_THAT(refused(bert(), {"[CLS]", "<sep>"}),
             ContainsSubstring("has no token \"<sep>\", which tokenizer.separator names; its "
                               "special tokens: [UNK], [CLS], [SEP]; set tokenizer.separator"));
  auto json = gpt2();
  json["added_tokens"] = nullptr;
  CHECK_THAT(refused(json, {"$", ""}), ContainsSubstring("it has no special tokens"));
}

TEST_CASE("components that are not supported are refused by name and place") {
  const auto typed = [](const char* type) { return Json{{"type", type}}; };
  CHECK_THAT(message_with(gpt2(), "/pre_tokenizer", typed("Metaspace")),
             ContainsSubstring("t.json: /pre_tokenizer: \"Metaspace\" is not supported; "
                               "supported: null, ByteLevel, Split (GPT-2's pattern)"));
  CHECK_THAT(message_with(gpt2(), "/normalizer", typed("Replace")),
             ContainsSubstring("t.json: /normalizer: \"Replace\" is not supported; supported: "));
  CHECK_THAT(message_with(gpt2(), "/decoder", typed("Metaspace")),
             ContainsSubstring("/decoder: \"Metaspace\" is not supported; supported: null, Fuse"));
  CHECK_THAT(message_with(gpt2(), "/post_processor", typed("Odd")),
             ContainsSubstring("/post_processor: \"Odd\" is not supported; supported: null, Bert"));
  CHECK(message_with(gpt2(), "/model/type", "Unigram") ==
        "t.json: /model: \"Unigram\" is not supported; supported: BPE, WordPiece");
  const Json nested = {{"type", "Sequence"}, {"normalizers", {typed("NFC"), typed("Sequence")}}};
  CHECK_THAT(message_with(gpt2(), "/normalizer", nested),
             ContainsSubstring("/normalizer/normalizers/1: \"Sequence\" is not supported"));
  CHECK(message_with(gpt2(), "/model/byte_fallback", true) ==
        "t.json: /model/byte_fallback: true is not supported; expected null or false");
  CHECK_THAT(message_with(gpt2(), "/model/end_of_word_suffix", "</w>"),
             ContainsSubstring("/model/end_of_word_suffix: \"</w>\" is not supported"));
  CHECK(message_with(gpt2(), "/added_tokens/0/single_word", true) ==
        "t.json: /added_tokens/0/single_word: true is not supported for \"<|endoftext|>\"");
  const Json split = {{"type", "Split"}, {"pattern", {{"Regex", "\\s"}}}, {"behavior", "Isolated"}};
  CHECK_THAT(message_with(gpt2(), "/pre_tokenizer", split),
             ContainsSubstring("/pre_tokenizer/pattern: is not supported; supported: GPT-2's"));
  CHECK(message_with(gpt2(), "/version", "2.0") ==
        "t.json: /version: got \"2.0\"; expected \"1.0\"");
}

TEST_CASE("a damaged part of a file is named") {
  CHECK(message(Json::array()) == "t.json: expected an object");
  CHECK(message(without(gpt2(), "", "model")) == R"(t.json: has no "model")");
  CHECK(message(without(gpt2(), "/model", "vocab")) == R"(t.json: /model: has no "vocab")");
  CHECK(message_with(gpt2(), "/model/merges", 5) ==
        "t.json: /model/merges: got 5; expected an array of merges");
  for (const Json& merge : {Json("ab"), Json("a b c"), Json(1), Json({"a"}), Json({"a", 1})}) {
    CHECK_THAT(message_with(gpt2(), "/model/merges/0", merge),
               ContainsSubstring("t.json: /model/merges/0: got "));
  }
  CHECK_THAT(message_with(gpt2(), "/model/merges/0", "a c"),
             ContainsSubstring("t.json: model.merges[0]: \"c\" is not in the vocabulary"));
  CHECK_THAT(message_with(gpt2(), "/model", 1), ContainsSubstring("/model: got 1; expected an"));
  CHECK(message_with(gpt2(), "/pre_tokenizer/add_prefix_space", 0) ==
        "t.json: /pre_tokenizer/add_prefix_space: got 0; expected true or false");
  CHECK(message(without(bert(), "/normalizer", "clean_text")) ==
        R"(t.json: /normalizer: has no "clean_text")");
  CHECK_THAT(message_with(bert(), "/model/max_input_chars_per_word", 1e6),
             ContainsSubstring("expected an integer from 1 to 1000"));
  CHECK(message_with(bert(), "/model/unk_token", "<unk>") ==
        "t.json: model.unk_token: \"<unk>\" is not in the vocabulary");
  CHECK_THAT(message_with(gpt2(), "/added_tokens", "x"), ContainsSubstring("expected an array"));
  CHECK_THAT(message_with(gpt2(), "/added_tokens/0/content", ""),
             ContainsSubstring("/added_tokens/0/content: got \"\"; expected 1 to 1024 bytes"));
}

TEST_CASE("a vocabulary has the ids 0 to V-1 once each") {
  for (const Json& id : {Json(4), Json(-1), Json(1.5), Json("1"), Json(), Json(1e300),
                         Json(std::numeric_limits<std::uint64_t>::max())}) {
    CHECK(message_with(gpt2(), "/model/vocab/a", id) ==
          "t.json: /model/vocab: \"a\" has the id " + id.dump() + "; ids are 0 to 3");
  }
  CHECK(message_with(gpt2(), "/model/vocab/a", 2) ==
        "t.json: /model/vocab: the id 2 is given twice");
  CHECK(message_with(without(gpt2(), "/model/vocab", "a"), "/model/vocab/", 0) ==
        "t.json: /model/vocab: the token of id 0 is empty");
  for (const Json& vocab : {Json(), Json::object(), Json(3)}) {
    CHECK(message_with(gpt2(), "/model/vocab", vocab) ==
          "t.json: /model/vocab: expected an object of tokens and ids");
  }
}

TEST_CASE("added tokens go on after the vocabulary or fill its holes") {
  auto json = gpt2();
  json["model"]["vocab"].erase("<|endoftext|>");
  CHECK(read(json)->encode("a<|endoftext|>") == Ids{0, 3});
  CHECK(read(json)->to_json()["model"]["vocab"].size() == 3);
  json["added_tokens"][0]["id"] = 0;
  json["model"]["vocab"] = {{"a", 1}, {"b", 2}, {"ab", 3}};
  CHECK(read(json)->encode("a<|endoftext|>ab") == Ids{1, 0, 3});
  CHECK(read(read(json)->to_json())->encode("a<|endoftext|>ab") == Ids{1, 0, 3});
  json["added_tokens"][0]["id"] = 1;
  CHECK_THAT(message(json), ContainsSubstring("/added_tokens: the id 1 is given twice"));
  json["added_tokens"][0]["id"] = 7;
  CHECK_THAT(message(json), ContainsSubstring("/model/vocab: \"ab\" has the id 3") ||
                                ContainsSubstring("has the id 7; ids are 0 to 3"));
  CHECK(message_with(gpt2(), "/added_tokens/0/id", 1) ==
        "t.json: /added_tokens: \"<|endoftext|>\" has the id 1, in the vocabulary 3");
}

TEST_CASE("an unknown token that is not in the vocabulary makes unknown characters an error") {
  auto json = gpt2();
  json["pre_tokenizer"] = nullptr;
  CHECK(read(json)->encode("axb") == Ids{2});
  json["model"]["unk_token"] = "<unk>";
  CHECK_THROWS_AS(read(json)->encode("axb"), UserError);
  json["model"]["unk_token"] = "b";
  CHECK(read(json)->encode("axxc") == Ids{2, 1, 1});
  json["model"]["fuse_unk"] = true;
  CHECK(read(json)->encode("axxc") == Ids{2});
  CHECK_THAT(message_with(json, "/model/unknown", "refuse"), ContainsSubstring("keep one"));
}

TEST_CASE("bytes that are no JSON, too deep or too many are refused") {
  CHECK_THAT(parse_message("{"), ContainsSubstring("t.json: not JSON at line 1"));
  CHECK_THAT(parse_message(""), ContainsSubstring("t.json: not JSON"));
  CHECK_THAT(parse_message(R"({"a": 1, "a": 2})"), ContainsSubstring("stands twice"));
  CHECK(parse_message(std::string(1'000'000, '[')) == "t.json: nested deeper than 32 levels");
  std::string deep = "{}";
  for (int i = 0; i < 32; ++i) deep = "/*[*/{\"a\": " + deep + "}";
  CHECK(parse_message(deep) == "t.json: nested deeper than 32 levels");
  CHECK_THAT(parse_message(std::string(kLargestTokenizerFile + 1, ' ')),
             ContainsSubstring("67108865 bytes; at most 67108864 are read"));
  CHECK(parse_tokenizer(gpt2().dump(), "t.json")->vocab_size() == 4);
}

TEST_CASE("a file with one changed byte is read or refused, never more") {
  for (const auto& text : {gpt2().dump(), bert().dump()}) {
    for (std::uint64_t seed = 0; seed < 3000; ++seed) {
      auto changed = text;
      const auto at = random_below(mixed_seed(seed, 0), static_cast<std::int64_t>(text.size()));
      changed[static_cast<std::size_t>(at)] =
          "\"{}[],:0123456789-atruefalsn\\ \xff"[random_below(mixed_seed(seed, 1), 31)];
      try {
        const auto tokenizer = parse_tokenizer(changed, "t.json");
        const auto ids = tokenizer->encode("ab [SEP] x<|endoftext|>");
        tokenizer->decode(ids);
        read(tokenizer->to_json());
      } catch (const UserError& error) {
        REQUIRE(std::string(error.what()).find('\n') == std::string::npos);
      }
    }
  }
}

}  // namespace zoo
