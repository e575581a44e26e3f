#include "text/tokenizers/subword_tokenizer.h"

#include <thread>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/tokenizers/bpe_model.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Json = nlohmann::json;
using Tokens = std::vector<std::string>;

constexpr auto kText =
    "the cat sat on the mat; the cat's hat isn't that\nthe rat sat, ate the hat\n"
    "the cat sat on the mat; the cat's hat isn't that\nthe rat sat, ate the hat\n";
const TokenRoles kPairs = {"$", "[SEP]"};

TokenizerOptions options_of(TokenizerType type, std::int64_t vocab_size) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = vocab_size;
  return options;
}

std::shared_ptr<const Tokenizer> learn(const TokenizerOptions& options, std::string_view text,
                                       const TokenRoles& roles = {}) {
  return train_tokenizer(options, [&](const auto& visit) { visit(text); }, roles);
}

std::shared_ptr<const Tokenizer> learn(TokenizerType type, std::int64_t vocab_size,
                                       std::string_view text = kText,
                                       const TokenRoles& roles = {}) {
  return learn(options_of(type, vocab_size), text, roles);
}

Tokens tokens(const Tokenizer& tokenizer, const std::string& text) {
  Tokens tokens;
  for (const auto id : tokenizer.encode(text)) tokens.push_back(tokenizer.token(id));
  return tokens;
}

std::string random_bytes(std::uint64_t seed, std::int64_t most) {
  std::string bytes;
  const auto size = random_below(mixed_seed(seed, 0), most);
  for (std::int64_t i = 0; i < size; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    // Half of them letters and spaces, so that there is something to join.
    const bool letter = random_below(mixed_seed(seed, 3 * index + 1), 2) == 0;
    const auto byte = random_below(mixed_seed(seed, 3 * index + 2), letter ? 8 : 256);
    bytes += letter ? "theca t\n"[byte] : static_cast<char>(byte);
  }
  return bytes;
}

/// A tokenizer on the vocabulary a, b, c, ab with the components given.
SubwordTokenizer pipeline(const Json& components) {
  Json frame = {{"added_tokens", Json::array()}};
  frame.update(components);
  BpeModelOptions options;
  options.unknown = UnknownCharacter::kSkip;
  const std::vector<std::pair<std::string, std::string>> merges = {{"a", "b"}};
  return SubwordTokenizer(
      frame, std::make_shared<BpeModel>(Tokens{"a", "b", "c", "ab", "Ġ"}, merges, options),
      "t.json");
}

Json added(std::int64_t id, const std::string& content, const Json& changes = Json::object()) {
  auto token = special_token_json(content, id);
  token.update(changes);
  return token;
}

}  // namespace

TEST_CASE("learned pieces over characters join what is frequent, within words") {
  const auto tokenizer = learn(TokenizerType::kBpe, 40);
  CHECK(tokenizer->vocab_size() == 40);
  CHECK(tokens(*tokenizer, "the that") == Tokens{"the", " th", "at"});
  CHECK(tokenizer->decode(tokenizer->encode(kText)) == kText);
  CHECK(tokenizer->boundary_id() == -1);
  CHECK(tokenizer->separator_id() == -1);
}

TEST_CASE("pieces over bytes give back every byte string") {
  const auto tokenizer = learn(TokenizerType::kByteBpe, 300);
  CHECK(tokenizer->vocab_size() > 256);
  CHECK(tokens(*tokenizer, "the rat") == Tokens{"the", "Ġrat"});
  CHECK(tokens(*tokenizer, "é\xff") == Tokens{"Ã", "©", "ÿ"});
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto bytes = random_bytes(seed, 60);
    REQUIRE(tokenizer->decode(tokenizer->encode(bytes)) == bytes);
  }
  const auto large = random_bytes(1, 20'000) + std::string(10'000, 'x');  // remembers words
  CHECK(tokenizer->decode(tokenizer->encode(large)) == large);
}

TEST_CASE("a byte vocabulary holds the 256 bytes and the special tokens") {
  CHECK(message_of<ConfigError>([] { learn(TokenizerType::kByteBpe, 255, "aaa"); }) ==
        "tokenizer.vocab_size: 255 is too small for the 256 single characters and special tokens; "
        "at least 256");
  CHECK(learn(TokenizerType::kByteBpe, 256)->vocab_size() == 256);
  // The boundary $ is a byte, too.
  CHECK_THAT(message_of<ConfigError>([] { learn(TokenizerType::kByteBpe, 9, kText, kPairs); }),
             ContainsSubstring("at least 257"));
}

TEST_CASE("training bytes need not be UTF-8, training characters must") {
  const auto tokenizer = learn(TokenizerType::kByteBpe, 260, "\xff\xfe\xff\xfe\xff\xfe");
  CHECK(tokenizer->encode("\xff\xfe").size() == 1);
  for (const auto type : {TokenizerType::kBpe, TokenizerType::kWordPiece}) {
    CHECK_THAT(message_of<UserError>([&] { learn(type, 300, "ab\xff"); }),
               ContainsSubstring("the training text: not UTF-8 at byte offset 2"));
    CHECK_THAT(message_of<UserError>([&] { learn(type, 300, "ab")->encode("a\xff"); }),
               ContainsSubstring("the text: not UTF-8 at byte offset 1"));
  }
}

TEST_CASE("an unknown character of learned pieces is refused, skipped or replaced") {
  auto options = options_of(TokenizerType::kBpe, 20);
  const std::string text = "aé ab日 日";
  CHECK(message_of<UserError>([&] { learn(options, "ab ab")->encode(text); }) ==
        "the character \"é\" (U+00E9) at position 2 is not in the vocabulary of 4 tokens");
  CHECK(message_of<UserError>([&] { learn(options, "ab ab", kPairs)->encode("a$a\n"); }) ==
        "the character U+000A at position 4 is not in the vocabulary of 6 tokens");
  options.unknown = UnknownCharacter::kSkip;
  CHECK(tokens(*learn(options, "ab ab"), text) == Tokens{"a", " ", "ab", " "});
  options.unknown = UnknownCharacter::kReplace;
  const auto replacing = learn(options, "ab ab", kPairs);
  CHECK(replacing->token(2) == "[UNK]");
  CHECK(tokens(*replacing, text) == Tokens{"a", "[UNK]", " ", "ab", "[UNK]", " ", "[UNK]"});
}

TEST_CASE("every learned type keeps roles and ids through its tokenizer.json") {
  for (const auto& [name, type] : names_of(TokenizerType{})) {
    for (const auto& roles : {TokenRoles{}, TokenRoles{"$", ""}, TokenRoles{"<|b|>", "[SEP]"}}) {
      const auto tokenizer = learn(type, 300, kText, roles);
      const auto text = tokenizer->to_json().dump();
      const auto again = tokenizer_from_json(Json::parse(text), "t.json");
      INFO(name);
      CHECK(again->to_json().dump() == text);
      CHECK(again->vocab_size() == tokenizer->vocab_size());
      CHECK(again->boundary_id() == (roles.boundary.empty() ? -1 : 0));
      CHECK(again->separator_id() == (roles.separator.empty() ? -1 : 1));
      CHECK(again->encode(kText) == tokenizer->encode(kText));
      for (std::int64_t id = 0; id < again->vocab_size(); ++id) {
        REQUIRE(again->token(id) == tokenizer->token(id));
      }
      CHECK_THROWS_AS(again->token(-1), std::out_of_range);
      CHECK_THROWS_AS(again->token(again->vocab_size()), std::out_of_range);
      CHECK_THROWS_AS(again->decode({again->vocab_size()}), std::out_of_range);
    }
  }
}

TEST_CASE("a rare pair is not joined") {
  auto options = options_of(TokenizerType::kBpe, 100);
  options.min_frequency = 3;
  CHECK(tokens(*learn(options, "ab ab"), "ab") == Tokens{"a", "b"});
  options.min_frequency = 2;
  CHECK(tokens(*learn(options, "ab ab"), "ab") == Tokens{"ab"});
}

TEST_CASE("a tokenizer serves several threads at once") {
  const auto tokenizer = learn(TokenizerType::kByteBpe, 320);
  std::string text;
  for (int i = 0; i < 300; ++i) text += kText;
  const auto expected = tokenizer->encode(text);
  std::vector<Ids> results(4);
  std::vector<std::thread> threads;
  for (auto& result : results) threads.emplace_back([&] { result = tokenizer->encode(text); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : results) CHECK(result == expected);
}

TEST_CASE("ids do not depend on whether words are remembered") {
  const auto tokenizer = learn(TokenizerType::kBpe, 45);
  Ids expected;
  std::string text;
  for (int i = 0; i < 400; ++i) {
    const auto word = std::string(" ") + (i % 3 == 0 ? "that" : i % 3 == 1 ? "cat" : "sthemat");
    text += word;
    for (const auto id : tokenizer->encode(word)) expected.push_back(id);
  }
  for (int i = 0; i < 4; ++i) text += text;
  const auto ids = tokenizer->encode(text);
  CHECK(text.size() > 8192);
  CHECK(Ids(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(expected.size())) == expected);
}

TEST_CASE("added tokens are found before all else, the leftmost and longest first") {
  const auto tokenizer =
      pipeline({{"added_tokens", {added(5, "<x>"), added(6, "<x><y>"), added(7, "b<")}}});
  CHECK(tokenizer.vocab_size() == 8);
  CHECK(tokenizer.encode("ab<x>c<x><y><x") == Ids{0, 7, 2, 6});
  CHECK(tokenizer.encode("c<x><x>") == Ids{2, 5, 5});
  CHECK(tokenizer.decode({5, 0, 7}) == "<x> a b<");
}

TEST_CASE("added tokens take white space away where they are told to") {
  const auto tokenizer = pipeline(
      {{"added_tokens", {added(5, "<l>", {{"lstrip", true}}), added(6, "<r>", {{"rstrip", true}})}},
       {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}}});
  CHECK(tokenizer.encode("a  <l> a") == Ids{0, 5, 4, 0});
  CHECK(tokenizer.encode("a <r>\u3000 a") == Ids{0, 4, 6, 0});
  CHECK(tokenizer.encode("<r> <l>") == Ids{6, 5});
}

TEST_CASE("a normalized added token is found in normalized text") {
  const auto tokenizer =
      pipeline({{"normalizer", {{"type", "Lowercase"}}},
                {"added_tokens", {added(5, "QX", {{"normalized", true}}), added(6, "QY")}}});
  CHECK(tokenizer.encode("aqXQXqYQY") == Ids{0, 5, 5, 6});
  CHECK(tokenizer.token(5) == "QX");
  CHECK(tokenizer.decode({5}) == "qx");
}

TEST_CASE("pre-tokenizers cut as their names say") {
  const Json split = {{"type", "WhitespaceSplit"}};
  CHECK(pipeline({{"pre_tokenizer", split}}).encode("a b ab\u00A0c") == Ids{0, 1, 3, 2});
  const Json bert = {{"type", "BertPreTokenizer"}};
  CHECK(pipeline({{"pre_tokenizer", bert}}).encode("a-b ab—a") == Ids{0, 1, 3, 0});
  Json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", true}, {"use_regex", true}};
  CHECK(pipeline({{"pre_tokenizer", bytes}}).encode("a b") == Ids{4, 0, 4, 1});
  CHECK(pipeline({{"pre_tokenizer", bytes}}).encode(" a") == Ids{4, 0});
  CHECK(pipeline({{"pre_tokenizer", bytes}}).encode("").empty());
  bytes["add_prefix_space"] = false;
  CHECK(pipeline({{"pre_tokenizer", bytes}}).encode("a b") == Ids{0, 4, 1});
  const Json both = {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
  CHECK(pipeline({{"pre_tokenizer", both}}).encode("a b") == Ids{0, 1});
}

TEST_CASE("decoders make text of tokens") {
  const Ids ids = {4, 0, 1};
  CHECK(pipeline({{"decoder", nullptr}}).decode(ids) == "Ġ a b");
  CHECK(pipeline({{"decoder", {{"type", "Fuse"}}}}).decode(ids) == "Ġab");
  CHECK(pipeline({{"decoder", {{"type", "ByteLevel"}}}}).decode(ids) == " ab");
  const Json pieces = {{"type", "WordPiece"}, {"prefix", "b"}, {"cleanup", false}};
  CHECK(pipeline({{"decoder", pieces}}).decode(ids) == "Ġ a");
  CHECK(pipeline(Json::object()).decode({}).empty());
}

TEST_CASE("a long text without a space takes no quadratic time") {
  const auto tokenizer = learn(TokenizerType::kByteBpe, 300);
  const std::string text(1 << 20, 't');
  CHECK(tokenizer->decode(tokenizer->encode(text)) == text);
  const auto words = learn(TokenizerType::kWordPiece, 60);
  CHECK(words->encode(text) == Ids{words->encode("?").at(0)});
}

}  // namespace zoo
