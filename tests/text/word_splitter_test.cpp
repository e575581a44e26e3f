#include "text/tokenizers/word_splitter.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string>
#include <vector>

#include "core/random.h"
#include "tests/support/catch.h"
#include "text/tokenizers/byte_alphabet.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Words = std::vector<std::string>;

Words words_of(std::string_view text) {
  Words words;
  split_words(text, [&](std::string_view word) { words.emplace_back(word); });
  return words;
}

/// Pieces drawn from `choices`, one after the other.
std::string random_text(const Words& choices, std::uint64_t seed) {
  std::string text;
  const auto size = random_below(mixed_seed(seed, 0), 30);
  for (std::int64_t i = 0; i < size; ++i) {
    const auto count = static_cast<std::int64_t>(choices.size());
    const auto choice = random_below(mixed_seed(seed, static_cast<std::uint64_t>(i) + 1), count);
    text += choices[static_cast<std::size_t>(choice)];
  }
  return text;
}

std::string random_bytes(std::uint64_t seed) {
  Words bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.emplace_back(1, static_cast<char>(byte));
  return random_text(bytes, seed);
}

}  // namespace

TEST_CASE("split_words keeps a space with the word after it") {
  CHECK(words_of("Hello, my friend!") == Words{"Hello", ",", " my", " friend", "!"});
  CHECK(words_of("room 101b") == Words{"room", " 101", "b"});
  CHECK(words_of("a  b") == Words{"a", " ", " b"});
  CHECK(words_of("a\nb") == Words{"a", "\n", "b"});
  CHECK(words_of("a\n\nb") == Words{"a", "\n", "\n", "b"});
  CHECK(words_of("a \n b") == Words{"a", " \n", " b"});
  CHECK(words_of("a  \n") == Words{"a", "  \n"});
  CHECK(words_of(" ") == Words{" "});
  CHECK(words_of("").empty());
}

TEST_CASE("split_words cuts English endings off, in lower case only") {
  CHECK(words_of("I'm he's we'll've") == Words{"I", "'m", " he", "'s", " we", "'ll", "'ve"});
  CHECK(words_of("'tis 'sister") == Words{"'t", "is", " '", "sister"});
  CHECK(words_of("IT'S l'eau") == Words{"IT", "'", "S", " l", "'", "eau"});
  CHECK(words_of("you're you'r") == Words{"you", "'re", " you", "'", "r"});
}

TEST_CASE("split_words knows letters, numbers and spaces of all scripts") {
  CHECK(words_of("привет, 漢字 한국") == Words{"привет", ",", " 漢字", " 한국"});
  CHECK(words_of("x²½Ⅷ٣ʰª") == Words{"x", "²½Ⅷ٣", "ʰª"});
  CHECK(words_of("e\u0301t") == Words{"e", "\u0301", "t"});  // an accent is a mark, not a letter
  CHECK(words_of("हिन्दी") == Words{"ह", "ि", "न", "्", "द", "ी"});
  CHECK(words_of("👍🏽 👍") == Words{"👍🏽", " 👍"});
  for (const auto* space : {"\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u3000"}) {
    const std::string s = space;
    CHECK(words_of("a" + s + "b") == Words{"a", s, "b"});
    CHECK(words_of("!" + s + s + "!") == Words{"!", s, s, "!"});
  }
  for (const auto* other : {"\u180E", "\u200B", "\uFEFF", "\x1C"}) {
    CHECK(words_of(std::string("!") + other) == Words{std::string("!") + other});
  }
}

TEST_CASE("split_words takes a byte that is not UTF-8 as neither letter, number nor space") {
  CHECK(words_of("a\xFF!b") == Words{"a", "\xFF!", "b"});
  CHECK(words_of(" \xC3") == Words{" \xC3"});
  CHECK(words_of("1\xE2\x82") == Words{"1", "\xE2\x82"});
  CHECK(words_of("\x80 \x80") == Words{"\x80", " \x80"});
}

TEST_CASE("split_words agrees with the regular expression on ASCII") {
  // std::regex has no classes of Unicode; for ASCII these are the same.
  std::string pattern = kGpt2Pattern;
  for (const auto& [unicode, ascii] :
       {std::pair<std::string, std::string>{"[^\\s\\p{L}\\p{N}]", "[^\\sA-Za-z0-9]"},
        {"\\p{L}", "[A-Za-z]"},
        {"\\p{N}", "[0-9]"}}) {
    pattern.replace(pattern.find(unicode), unicode.size(), ascii);
  }
  const std::regex regex(pattern);
  const Words choices = {" ", " ", "\n", "\t", "\v",  "\f", "\r", "a", "B",
                         "7", "!", "'",  "'s", "'ll", "re", "ve", "-"};
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto text = random_text(choices, seed);
    Words expected;
    for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
      expected.push_back(match->str());
    }
    CHECK(words_of(text) == expected);
  }
}

TEST_CASE("The words of any bytes are never empty and together are the bytes") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto text = random_bytes(seed);
    std::string joined;
    for (const auto& word : words_of(text)) {
      CHECK_FALSE(word.empty());
      joined += word;
    }
    CHECK(joined == text);
  }
}

TEST_CASE("to_byte_alphabet shows bytes as GPT-2 does") {
  CHECK(to_byte_alphabet(" the\n") == "ĠtheĊ");
  CHECK(to_byte_alphabet("é") == "Ã©");
  CHECK(to_byte_alphabet(std::string("\0\x7F\xA0\xAD", 4)) == "ĀġłŃ");
  CHECK(to_byte_alphabet("\xAC\xAE\xFF!~") == "¬®ÿ!~");
}

TEST_CASE("from_byte_alphabet is the inverse of to_byte_alphabet for any bytes") {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const auto bytes = random_bytes(seed);
    CHECK(from_byte_alphabet(to_byte_alphabet(bytes)) == bytes);
  }
}

TEST_CASE("from_byte_alphabet keeps a token that is not all of the alphabet") {
  CHECK(from_byte_alphabet("Ġa b") == "Ġa b");
  CHECK(from_byte_alphabet("漢Ġ") == "漢Ġ");
  CHECK(from_byte_alphabet("Ġ\xFF") == "Ġ\xFF");
  CHECK(from_byte_alphabet("\u0144") == "\u0144");  // the first code point after the alphabet
  CHECK(from_byte_alphabet("<s>") == "<s>");
}

TEST_CASE("byte_alphabet gives one character a byte, by code point") {
  const auto characters = byte_alphabet();
  REQUIRE(characters.size() == 256);
  CHECK(characters.front() == "!");
  CHECK(characters[94] == "¡");
  CHECK(characters.back() == "Ń");
  std::string bytes;
  char32_t previous = 0;
  for (const auto& character : characters) {
    const auto decoded = decode_utf8(character, "the alphabet");
    REQUIRE(decoded.size() == 1);
    CHECK(decoded[0] > previous);
    previous = decoded[0];
    bytes += from_byte_alphabet(character);
  }
  std::sort(bytes.begin(), bytes.end(), [](char a, char b) {
    return static_cast<unsigned char>(a) < static_cast<unsigned char>(b);
  });
  CHECK(std::adjacent_find(bytes.begin(), bytes.end()) == bytes.end());
  CHECK(bytes.size() == 256);
}

}  // namespace zoo
