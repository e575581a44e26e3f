#include "text/longest_training_substring.h"

#include <algorithm>

#include "core/files.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// Characters and text of what is found, in one.
std::string found(const std::vector<std::string_view>& examples, std::string_view text) {
  const auto substring = LongestTrainingSubstring(examples).find(text);
  CHECK(substring.characters == count_characters(substring.text));
  return substring.text;
}

/// The length by trying every substring.
std::size_t defined_length(const std::vector<std::u32string>& examples,
                           const std::u32string& text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size(); ++begin) {
    for (std::size_t length = longest + 1; begin + length <= text.size(); ++length) {
      const auto part = text.substr(begin, length);
      const bool known = std::any_of(examples.begin(), examples.end(), [&](const auto& example) {
        return example.find(part) != std::u32string::npos;
      });
      if (known) longest = length;
    }
  }
  return longest;
}

std::u32string random_text(std::uint64_t seed, std::int64_t most) {
  std::u32string text;
  const auto length = random_below(mixed_seed(seed, 0), most + 1);
  for (std::int64_t i = 1; i <= length; ++i) {
    constexpr std::u32string_view kAlphabet = U"abé😀";
    text += kAlphabet[static_cast<std::size_t>(
        random_below(mixed_seed(seed, static_cast<std::uint64_t>(i)), 4))];
  }
  return text;
}

std::string utf8_of(const std::u32string& text) {
  std::string bytes;
  for (const auto character : text) append_utf8(bytes, character);
  return bytes;
}

TextData data_of(const std::string& text, TextFormat format, TokenizerType type) {
  const TemporaryFolder folder;
  DataOptions options;
  options.format = format;
  options.val_fraction = 0;
  options.path = (folder / "all.txt").string();
  replace_file(options.path, text);
  TokenizerOptions tokenizer;
  tokenizer.type = type;
  return load_text_data(options, tokenizer);
}

}  // namespace

TEST_CASE("the longest substring that stands in the training data is found, and nothing else") {
  CHECK(found({"to be or not to be"}, "I want to bed down") == "t to be");
  CHECK(found({"emma", "emily"}, "emilia") == "emil");
  CHECK(found({"emma"}, "emma") == "emma");
  CHECK(found({"emma"}, "xyz").empty());
  CHECK(found({"emma"}, "").empty());
  CHECK(found({}, "emma").empty());
  CHECK(found({"aaaaaaaa"}, "baaab") == "aaa");
}

TEST_CASE("a substring does not reach from one example into the next") {
  CHECK(found({"ab", "cd"}, "abcd") == "ab");
  CHECK(found({"ab", "bcd"}, "abcd") == "bcd");
}

TEST_CASE("of equally long substrings that which the training data has first is given") {
  CHECK(found({"cd", "ab"}, "abxcd") == "cd");
  CHECK(found({"ab", "cd"}, "abxcd") == "ab");
}

TEST_CASE("lengths are characters, and no substring has a part of one") {
  CHECK(found({"è"}, "é").empty());  // é and è share their first byte
  CHECK(found({"kırk iki"}, "kırk bir") == "kırk ");
  CHECK(LongestTrainingSubstring({"😀😀 ok"}).find("😀 ok").characters == 4);
  // Six bytes of two characters against five bytes of five.
  CHECK(found({"日本 ... hello"}, "日本 hello") == " hello");
}

TEST_CASE("bytes that are not UTF-8 stand nowhere, not even the end of an example") {
  CHECK(found({"abc"},
              "ab\xFF"
              "c") == "ab");
  CHECK(found({"ab", "cd"},
              "b\xFF"
              "c") == "b");
  CHECK(found({"é"}, "\xC3").empty());
}

TEST_CASE("the length is that of the definition on random texts") {
  std::vector<std::size_t> lengths;
  for (std::uint64_t round = 0; round < 300; ++round) {
    std::vector<std::u32string> examples;
    std::vector<std::string> bytes;
    for (std::uint64_t i = 0; i < 4; ++i) {
      examples.push_back(random_text(mixed_seed(round, i), 12));
      bytes.push_back(utf8_of(examples.back()));
    }
    const auto text = random_text(mixed_seed(round, 9), 14);
    const auto substring =
        LongestTrainingSubstring({bytes.begin(), bytes.end()}).find(utf8_of(text));
    lengths.push_back(defined_length(examples, text));
    INFO(utf8_of(text));
    CHECK(substring.characters == static_cast<std::int64_t>(lengths.back()));
    CHECK(utf8_of(text).find(substring.text) != std::string::npos);
    CHECK((substring.text.empty() || std::any_of(bytes.begin(), bytes.end(), [&](const auto& one) {
             return one.find(substring.text) != std::string::npos;
           })));
  }
  CHECK(*std::max_element(lengths.begin(), lengths.end()) >= 6);
}

TEST_CASE("lines, pairs and running text of the training split are searched") {
  const auto lines = data_of("emma\nolivia\n", TextFormat::kLines, TokenizerType::kCharacter);
  CHECK(longest_training_substring(lines)->find("olivemma").text.size() == 4);
  CHECK(longest_training_substring(lines)->find("$olivia$").text == "olivia");
  const auto pairs = data_of("one\tbir\n", TextFormat::kPairs, TokenizerType::kCharacter);
  CHECK(longest_training_substring(pairs)->find("e[SEP]bi!").text == "e[SEP]bi");
  const auto text =
      data_of("It was\nthe best of times", TextFormat::kText, TokenizerType::kByteBpe);
  CHECK(longest_training_substring(text)->find("was\nthe worst").text == "was\nthe ");
}

}  // namespace zoo
