#include <nlohmann/json.hpp>

#include "tests/mistakes/bad_files.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/tokenizer_files.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

/// A tokenizer of a few pieces.
Json learned(TokenizerType type) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = 40;
  options.min_frequency = 1;
  const TextSource texts = [](const auto& visit) { visit("abab abba aab"); };
  return train_tokenizer(options, texts, {"$", "[SEP]"})->to_json();
}

MakeBytes changed(TokenizerType type, const std::string& place, const Json& value) {
  return [=] {
    auto json = learned(type);
    json[Json::json_pointer(place)] = value;
    return json.dump(1);
  };
}

MakeBytes bpe(const std::string& place, const Json& value) {
  return changed(TokenizerType::kBpe, place, value);
}

MakeBytes wordpiece(const std::string& place, const Json& value) {
  return changed(TokenizerType::kWordPiece, place, value);
}

Json added(const Json& id, const Json& content) {
  return Json::array({{{"id", id}, {"content", content}, {"special", true}}});
}

std::vector<BadFile> wrong_frame() {
  return {
      {"empty", "not JSON", [] { return ""; }},
      {"array", "expected an object", [] { return "[]"; }},
      {"null", "expected an object", [] { return "null"; }},
      {"empty object", "version", [] { return "{}"; }},
      {"no model", "has no \"model\"", [] { return R"({"version": "1.0"})"; }},
      {"version 2.0", "expected \"1.0\"", bpe("/version", "2.0")},
      {"version number", "expected \"1.0\"", bpe("/version", 1.0)},
      {"unknown part", "is not a part", bpe("/vocabulary", 1)},
      {"unknown part with a terminal escape", "is not a part", bpe("/\x1B[2J", 1)},
      {"unknown part with a C1 control", "is not a part", bpe("/a\u009B2J", 1)},
      {"unknown part of 100 KiB", "is not a part", bpe("/" + std::string(100 << 10, 'p'), 1)},
      {"normalizer number", "/normalizer", bpe("/normalizer", 7)},
      {"normalizer without type", "/normalizer", bpe("/normalizer", Json::object())},
      {"unknown normalizer", "/normalizer", bpe("/normalizer", {{"type", "Nmt"}})},
      {"pre_tokenizer text", "/pre_tokenizer", bpe("/pre_tokenizer", "ByteLevel")},
      {"unknown pre_tokenizer", "/pre_tokenizer", bpe("/pre_tokenizer", {{"type", "Metaspace"}})},
      {"unknown decoder", "/decoder", bpe("/decoder", {{"type", "CTC"}})},
      {"decoder array", "/decoder", bpe("/decoder", Json::array())},
      {"unknown post_processor", "/post_processor", bpe("/post_processor", {{"type", "X"}})},
      {"post_processor with a line break", "/post_processor",
       bpe("/post_processor", {{"type", "a\nb"}})},
      {"added_tokens object", "/added_tokens", bpe("/added_tokens", Json::object())},
      {"added token number", "/added_tokens/0", bpe("/added_tokens", Json::array({7}))},
      {"added token without content", "/added_tokens/0",
       bpe("/added_tokens", Json::array({{{"id", 0}}}))},
      {"added token of no id", "/added_tokens/0/id", bpe("/added_tokens", added(nullptr, "$"))},
      {"added token of id -1", "/added_tokens/0/id", bpe("/added_tokens", added(-1, "$"))},
      {"added token of id 2^64 - 1", "/added_tokens/0/id",
       bpe("/added_tokens", added(~std::uint64_t{0}, "$"))},
      {"added token of another id", "has the id", bpe("/added_tokens", added(5, "$"))},
      {"added token without text", "/added_tokens/0/content", bpe("/added_tokens", added(0, ""))},
      {"added token of 2 KiB", "/added_tokens/0/content",
       bpe("/added_tokens", added(0, std::string(2048, 'x')))},
      {"added token far away", "", bpe("/added_tokens", added(1 << 30, "new"))},
      {"single_word", "single_word", bpe("/added_tokens/0/single_word", true)},
      {"added tokens of one id", "given twice",
       bpe("/added_tokens",
           Json::array({{{"id", 0}, {"content", "$"}}, {{"id", 0}, {"content", "%"}}}))},
  };
}

std::vector<BadFile> wrong_model() {
  return {
      {"model null", "/model", bpe("/model", nullptr)},
      {"model array", "/model", bpe("/model", Json::array())},
      {"model Unigram", "is not supported", bpe("/model/type", "Unigram")},
      {"model type number", "/model", bpe("/model/type", 7)},
      {"vocab null", "/model/vocab", bpe("/model/vocab", nullptr)},
      {"vocab array", "/model/vocab", bpe("/model/vocab", Json::array({"a"}))},
      {"vocab empty", "/model/vocab", bpe("/model/vocab", Json::object())},
      {"id text", "/model/vocab", bpe("/model/vocab/a", "2")},
      {"id float", "/model/vocab", bpe("/model/vocab/a", 2.0)},
      {"id null", "/model/vocab", bpe("/model/vocab/a", nullptr)},
      {"id object", "/model/vocab", bpe("/model/vocab/a", {{"x", 1}})},
      {"id of 100 KiB", "/model/vocab", bpe("/model/vocab/a", std::string(100 << 10, '['))},
      {"id -1", "/model/vocab", bpe("/model/vocab/a", -1)},
      {"id 2^31", "/model/vocab", bpe("/model/vocab/a", std::int64_t{1} << 31)},
      {"id 2^64 - 1", "/model/vocab", bpe("/model/vocab/a", ~std::uint64_t{0})},
      {"id twice", "/model/vocab", bpe("/model/vocab/a", 0)},
      {"token without text", "/model/vocab", bpe("/model/vocab", {{"", 0}})},
      {"merges null", "/model/merges", bpe("/model/merges", nullptr)},
      {"merges number", "/model/merges", bpe("/model/merges", 7)},
      {"merge number", "/model/merges/0", bpe("/model/merges", Json::array({7}))},
      {"merge of one", "/model/merges/0", bpe("/model/merges", Json::array({Json::array({"a"})}))},
      {"merge of three", "/model/merges/0",
       bpe("/model/merges", Json::array({Json::array({"a", "b", "a"})}))},
      {"merge without a space", "/model/merges/0", bpe("/model/merges", Json::array({"ab"}))},
      {"merge with a line break", "/model/merges/0", bpe("/model/merges", Json::array({"a\nb"}))},
      {"merge of unknown tokens", "", bpe("/model/merges", Json::array({"x y"}))},
      {"merge to an unknown token", "", bpe("/model/merges", Json::array({"[SEP] $"}))},
      {"dropout", "/model/dropout", bpe("/model/dropout", 0.1)},
      {"byte_fallback", "/model/byte_fallback", bpe("/model/byte_fallback", true)},
      {"continuing prefix", "/model/continuing", bpe("/model/continuing_subword_prefix", "@@")},
      {"end of word suffix", "/model/end_of", bpe("/model/end_of_word_suffix", "</w>")},
      {"suffix of 100 KiB", "/model/end_of",
       bpe("/model/end_of_word_suffix", std::string(100 << 10, 's'))},
      {"fuse_unk number", "/model/fuse_unk", bpe("/model/fuse_unk", 7)},
      {"no unknown token", "/model/unk_token", wordpiece("/model/unk_token", nullptr)},
      {"unknown token that is unknown", "", wordpiece("/model/unk_token", "[WHAT]")},
      {"words of 0 characters", "/model/max_input_chars",
       wordpiece("/model/max_input_chars_per_word", 0)},
      {"words of 10^9 characters", "/model/max_input_chars",
       wordpiece("/model/max_input_chars_per_word", 1'000'000'000)},
      {"prefix number", "/model/continuing", wordpiece("/model/continuing_subword_prefix", 7)},
  };
}

std::vector<BadFile> large() {
  return {
      {"33 levels", "nested deeper", [] { return std::string(33, '['); }},
      {"a million levels", "nested deeper", [] { return repeated(R"({"a":)", 1'000'000); }},
      {"a string of 16 MiB", "",
       [] { return R"({"version":")" + std::string(16 << 20, 'x') + "\"}"; }},
      {"16 MiB of zeros", "beside the tokens and merges",
       [] { return R"({"version":[0)" + repeated(",0", 8 << 20) + "]}"; }},
      {"8 million merges", "keys and values of tokens and merges",
       [] { return R"({"model":{"merges":[0)" + repeated(",0", 8'000'000) + "]}}"; }},
      {"12 MiB of arrays", "",
       [] { return R"({"version":[[])" + repeated(",[]", 4 << 20) + "]}"; }},
      {"12 MiB of objects", "",
       [] { return R"({"version":[{})" + repeated(",{}", 4 << 20) + "]}"; }},
      {"an id of 100,000 digits", "",
       [] {
         return R"({"version":"1.0","model":{"type":"BPE","vocab":{"a":)" +
                std::string(100'000, '9') + R"(},"merges":[]}})";
       }},
      {"not UTF-8", "not JSON", [] { return "{\"version\": \"\xFF\"}"; }},
      {"a key twice", "stands twice", [] { return R"({"version":"1.0","version":"1.0"})"; }},
  };
}

const std::string kVocabulary = R"({"a":0,"b":1,"ab":2,"<|endoftext|>":3,"\u0120":4})";
const std::string kMerges = "#version: 0.2\na b\n";

void read_vocabulary(const std::filesystem::path& path) {
  const auto file = read_tokenizer_file(path);
  (void)tokenizer_from_json(file.json, file.source);
}

BadFile text(const std::string& kind, const std::string& bytes, const std::string& says) {
  return {kind, says, [bytes] { return bytes; }};
}

}  // namespace

FileFormat tokenizer_json_format() {
  FileFormat format{"tokenizer.json", "tokenizer.json", {}, {}, 300, read_vocabulary, {}};
  format.good = [] { return learned(TokenizerType::kBpe).dump(); };
  for (const auto& part : {wrong_frame(), wrong_model(), large()}) {
    format.bad.insert(format.bad.end(), part.begin(), part.end());
  }
  return format;
}

FileFormat vocabulary_format() {
  FileFormat format{"vocab.json", "vocab.json", {{"merges.txt", kMerges}}, {}, 0, {}, {}};
  format.good = [] { return kVocabulary; };
  format.read = read_vocabulary;
  format.bad = {
      text("empty", "", "not JSON"),
      text("array", "[\"a\",\"b\"]", "expected an object"),
      text("no tokens", "{}", ""),
      text("id text", R"({"a":"0","b":1,"ab":2})", "id"),
      text("id twice", R"({"a":0,"b":0,"ab":2})", "id"),
      text("id too large", R"({"a":0,"b":1,"ab":20})", "id"),
      text("a token twice", R"({"a":0,"a":1,"ab":2})", "stands twice"),
      text("a part of a merge is missing", R"({"a":0,"ab":1})", "is not in the vocabulary"),
      text("a merge is missing", R"({"a":0,"b":1})", "is not in the vocabulary"),
      text("not UTF-8", "{\"\xFF\":0}", "not JSON"),
      text("lines instead", "a\nb\nab\n", "not JSON"),
  };
  return format;
}

FileFormat merges_format() {
  FileFormat format{"merges.txt", "merges.txt", {{"vocab.json", kVocabulary}}, {}, 0, {}, {}};
  format.good = [] { return kMerges; };
  format.read = [](const std::filesystem::path& path) {
    read_vocabulary(path.parent_path() / "vocab.json");
  };
  format.bad = {
      text("one token", "#version: 0.2\na\n", "line 2"),
      text("three tokens", "a b ab\n", "line 1"),
      text("empty line", "a b\n\na b\n", "line 2"),
      text("space first", " a b\n", "line 1"),
      text("space last", "a b \n", "line 1"),
      text("tab", "a\tb\n", "line 1"),
      text("unknown token", "a x\n", "line 1"),
      text("unknown sum", "b a\n", "line 1"),
      text("not UTF-8", "a b\n\xFF\n", "byte offset 4"),
      text("terminal escape", "\x1B[2J\n", "line 1"),
      text("C1 control", "\xC2\x9B 2J\n", "line 1"),
      text("NUL", std::string("a\0 b\n", 5), "line 1"),
      {"a line of 8 MiB", "line 1", [] { return std::string(8 << 20, 'x') + "\n"; }},
  };
  return format;
}

FileFormat wordpieces_format() {
  FileFormat format{"vocab.txt", "vocab.txt", {}, {}, 0, read_vocabulary, {}};
  format.good = [] { return std::string("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##b\n"); };
  format.bad = {
      text("empty", "", "has no token"),
      text("no [UNK]", "a\nb\n", "has no token"),
      text("empty line", "[UNK]\n\na\n", "line 2"),
      text("a token twice", "[UNK]\na\na\n", "line 3"),
      text("a token with a terminal escape twice", "[UNK]\n\x1B[2J\n\x1B[2J\n", "line 3"),
      text("a token with a C1 control twice", "[UNK]\n\xC2\x9B\n\xC2\x9B\n", "line 3"),
      text("not UTF-8", "[UNK]\n\xFF\n", "byte offset 6"),
      text("UTF-16", std::string("\xFF\xFE[\0", 4), "byte offset 0"),
      text("zeros", std::string(4096, '\0'), ""),
      {"a token of 4 MiB twice", "line 3",
       [] {
         const auto token = std::string(4 << 20, 't') + "\n";
         return "[UNK]\n" + token + token;
       }},
  };
  return format;
}

}  // namespace zoo
