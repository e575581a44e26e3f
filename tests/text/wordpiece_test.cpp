#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/tokenizers/bert_normalizer.h"
#include "text/tokenizers/normalizer.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/wordpiece_model.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;

std::string bert(const std::string& text, const BertNormalizerOptions& options = {}) {
  auto code_points = decode_utf8(text, "the test");
  normalize_as_bert(code_points, options);
  return to_utf8(code_points);
}

std::string normalized(const std::string& type, const std::string& text) {
  return Normalizer(JsonNode({{"type", type}}, "n")).apply(text);
}

Ids pieces(const WordPieceModel& model, const std::string& word) {
  Ids ids;
  model.encode_word(word, ids);
  return ids;
}

std::shared_ptr<const Tokenizer> learn(std::string_view text, std::int64_t vocab_size,
                                       bool lowercase = true, const TokenRoles& roles = {}) {
  TokenizerOptions options;
  options.type = TokenizerType::kWordPiece;
  options.vocab_size = vocab_size;
  options.lowercase = lowercase;
  return train_tokenizer(options, [&](const auto& visit) { visit(text); }, roles);
}

std::vector<std::string> tokens(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> tokens;
  for (const auto id : tokenizer.encode(text)) tokens.push_back(tokenizer.token(id));
  return tokens;
}

using Tokens = std::vector<std::string>;

}  // namespace

TEST_CASE("BERT's normalization cleans, lowers and takes accents away") {
  CHECK(bert("Héllo\tWORLD\r\n") == "hello world  ");
  CHECK(bert("a\x01"
             "b\x7f"
             "c\u200Dd\uFEFF\uFFFD\uE000") == "abcd");
  CHECK(bert("a\u00A0b\u3000c\u2028d") == "a b c d");
  CHECK(bert("Ångström e\u0323\u0301") == "angstrom e");
  CHECK(bert("ΟΔΟΣ") == "οδοσ");  // every character by itself
  CHECK(bert("İI") == "ii");
  CHECK(bert("\u0378") == "\u0378");  // not assigned, yet kept
}

TEST_CASE("BERT's normalization does only what it is told") {
  const BertNormalizerOptions nothing{false, false, false, false};
  const std::string text = "A\tÉ東\x01";
  CHECK(bert(text, nothing) == text);
  auto options = nothing;
  options.lowercase = true;
  CHECK(bert("İÉ\t", options) == "i\u0307é\t");
  options = nothing;
  options.strip_accents = true;
  CHECK(bert("İÉ\u0301", options) == "IE");
  options = nothing;
  options.clean_text = true;
  CHECK(bert("É\tb\x01", options) == "É b");
}

TEST_CASE("ideographs stand by themselves") {
  CHECK(bert("a東京b") == "a 東  京 b");
  CHECK(bert("ひカ한") == bert("ひ") + bert("カ") + bert("한"));
  // Hugging Face's slip: its block starts at U+2B920.
  CHECK(bert("\U0002B91F\U0002B920") == "\U0002B91F \U0002B920 ");
}

TEST_CASE("the normalization forms are Unicode's") {
  CHECK(normalized("NFC", "e\u0301\u0323ﬁ") == "ẹ\u0301ﬁ");
  CHECK(normalized("NFD", "ệ한") == "e\u0323\u0302\u1112\u1161\u11AB");
  CHECK(normalized("NFKC", "ﬁ①Ａ\u00A0") == "fi1A ");
  CHECK(normalized("NFKD", "é") == "e\u0301");
  CHECK(normalized("Lowercase", "ÀİΣ") == "ài\u0307σ");
  CHECK(normalized("NFC", "plain") == "plain");
  CHECK_THAT(message_of<UserError>([] { normalized("NFC", "a\xff"); }),
             ContainsSubstring("not UTF-8 at byte offset 1"));
}

TEST_CASE("a long run of marks is put in order in good time") {
  std::string text = "e";
  for (int i = 0; i < 200'000; ++i) text += i % 2 == 0 ? "\u0301" : "\u0323";
  const auto ordered = normalized("NFD", text);
  CHECK(ordered.substr(0, 5) == "e\u0323\u0323");
  CHECK(ordered.size() == text.size());
}

TEST_CASE("marks of one class keep their order") {
  std::string mixed = "e";
  std::string above;
  for (char32_t mark = 0x300; mark < 0x315; ++mark) {
    append_utf8(mixed, mark);
    mixed += "\u0323";
    append_utf8(above, mark);
  }
  const auto ordered = normalized("NFD", mixed);
  CHECK(ordered.substr(ordered.size() - above.size()) == above);
}

TEST_CASE("a word is cut into the longest pieces from left to right") {
  const WordPieceModel model({"[UNK]", "un", "##aff", "##able", "##a", "u", "##n", "##f", "ab"},
                             {});
  CHECK(pieces(model, "unaffable") == Ids{1, 2, 3});
  CHECK(pieces(model, "una") == Ids{1, 4});
  CHECK(pieces(model, "unaff") == Ids{1, 2});
  CHECK(pieces(model, "unafa") == Ids{1, 4, 7, 4});
  CHECK(pieces(model, "ab") == Ids{8});
  CHECK(pieces(model, "unx") == Ids{0});   // no piece fits the rest, so the whole word is unknown
  CHECK(pieces(model, "able") == Ids{0});  // only inside a word
  CHECK(pieces(model, "##aff") == Ids{2});
}

TEST_CASE("a word of more characters than the longest is unknown") {
  WordPieceOptions options;
  options.longest_word = 3;
  const WordPieceModel model({"é", "##é", "[UNK]"}, options);
  CHECK(pieces(model, "ééé") == Ids{0, 1, 1});
  CHECK(pieces(model, "éééé") == Ids{2});
}

TEST_CASE("a WordPiece vocabulary has each token once, and the unknown one") {
  CHECK(message_of<UserError>([] { WordPieceModel({"a", "b"}, {}); }) ==
        "model.unk_token: \"[UNK]\" is not in the vocabulary");
  CHECK(message_of<UserError>([] { WordPieceModel({"[UNK]", "a", "a"}, {}); }) ==
        "model.vocab: \"a\" has the ids 1 and 2; a token has one");
}

TEST_CASE("the pieces are those of the plain rule, whatever the vocabulary") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::vector<std::string> vocabulary = {"[UNK]"};
    for (std::uint64_t i = 0; i < 14; ++i) {
      std::string token = random_below(mixed_seed(seed, i), 2) == 0 ? "" : "##";
      const auto size = 1 + random_below(mixed_seed(seed, 100 + i), 3);
      for (int k = 0; k < size; ++k) {
        const auto letter =
            random_below(mixed_seed(seed, 1000 + 10 * i + static_cast<unsigned>(k)), 2);
        token += letter == 0 ? 'a' : 'b';
      }
      if (std::find(vocabulary.begin(), vocabulary.end(), token) == vocabulary.end()) {
        vocabulary.push_back(token);
      }
    }
    const WordPieceModel model(vocabulary, {});
    std::string word;
    for (std::uint64_t i = 0; i < 8; ++i) {
      word += random_below(mixed_seed(seed, 5000 + i), 2) == 0 ? 'a' : 'b';
    }
    Ids expected;
    for (std::size_t at = 0; at < word.size();) {
      auto size = word.size() - at;
      const auto id = [&] { return model.id_of((at == 0 ? "" : "##") + word.substr(at, size)); };
      while (size > 0 && id() < 0) --size;
      expected.push_back(size == 0 ? -1 : id());
      if (size == 0) break;
      at += size;
    }
    if (expected.back() < 0) expected = {0};
    REQUIRE(pieces(model, word) == expected);
  }
}

TEST_CASE("learned WordPieces start words plainly and go on with ##") {
  const auto tokenizer = learn("walking talking walked Talked, walking! talking", 40);
  CHECK(tokenizer->token(0) == "[UNK]");
  CHECK(tokenizer->vocab_size() <= 40);
  CHECK(tokens(*tokenizer, "Walking") == Tokens{"walking"});
  CHECK(tokens(*tokenizer, "wal, king").front().front() == 'w');
  CHECK(tokens(*tokenizer, "walking,talking") == Tokens{"walking", ",", "talking"});
  CHECK(tokens(*tokenizer, "xyz walking") == Tokens{"[UNK]", "walking"});
  CHECK(tokenizer->decode(tokenizer->encode("WALKING, talking !")) == "walking, talking!");
  CHECK(tokenizer->encode("").empty());
  CHECK(tokenizer->encode(" \n ").empty());
}

TEST_CASE("cased WordPieces keep case and accents") {
  const auto tokenizer = learn("Été été Été été", 20, /*lowercase=*/false);
  CHECK(tokens(*tokenizer, "Été") == Tokens{"Été"});
  CHECK(tokens(*learn("Été été Été été", 20), "Été") == Tokens{"ete"});
}

TEST_CASE("WordPieces have the roles first and [UNK] after them") {
  const auto tokenizer = learn("one two one two", 30, true, {"[CLS]", "[SEP]"});
  CHECK(tokenizer->boundary_id() == 0);
  CHECK(tokenizer->separator_id() == 1);
  CHECK(tokenizer->token(2) == "[UNK]");
  CHECK(tokens(*tokenizer, "[CLS]one[SEP]two") == Tokens{"[CLS]", "one", "[SEP]", "two"});
  CHECK_THAT(message_of<UserError>([] { learn("x BOS y", 30, true, {"bos", ""}); }),
             ContainsSubstring("a line contains the boundary \"bos\""));
}

TEST_CASE("a vocabulary too small for the characters is refused with the least that would do") {
  CHECK(message_of<ConfigError>([] { learn("abc", 4); }) ==
        "tokenizer.vocab_size: 4 is too small for the 6 single characters and special tokens; at "
        "least 6");
  CHECK(learn("abc", 6)->vocab_size() == 6);
}

}  // namespace zoo
