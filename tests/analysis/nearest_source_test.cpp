#include "analysis/nearest_source.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/utf8.h"

namespace zoo {
namespace {

std::size_t nearest(const std::vector<std::string>& sources, std::string_view text) {
  return NearestSource(sources).nearest(text);
}

std::map<std::u32string, int> grams_of(const std::string& text, std::size_t order) {
  std::u32string marked = {0x110000};
  for (const auto character : decode_utf8(text, "test")) marked += character;
  marked += char32_t{0x110001};
  if (order == 1) marked = marked.substr(1, marked.size() - 2);
  std::map<std::u32string, int> grams;
  for (std::size_t at = 0; at + order <= marked.size(); ++at) ++grams[marked.substr(at, order)];
  return grams;
}

/// The definition, up to the factor 6.
double defined_likeness(const std::string& a, const std::string& b) {
  double likeness = 0.0;
  for (std::size_t order = 1; order <= 6; ++order) {
    const auto grams = grams_of(a, order);
    auto others = grams_of(b, order);
    int common = 0, all = 0;
    for (const auto& [gram, count] : others) all += count;
    for (const auto& [gram, count] : grams) {
      all += count;
      const auto found = others.find(gram);
      if (found != others.end()) common += std::min(count, found->second);
    }
    if (all > 0) likeness += 2.0 * common / all;
  }
  return likeness;
}

/// A text of up to 20 characters, some of them longer than a byte.
std::string random_text(std::uint64_t seed) {
  std::string text;
  const auto length = random_below(mixed_seed(seed, 0), 21);
  for (std::int64_t i = 1; i <= length; ++i) {
    constexpr std::u32string_view kAlphabet = U"abcé😀";
    const auto drawn = random_below(mixed_seed(seed, static_cast<std::uint64_t>(i)), 5);
    append_utf8(text, kAlphabet[static_cast<std::size_t>(drawn)]);
  }
  return text;
}

}  // namespace

TEST_CASE("the source with most n-grams in common is nearest") {
  const std::vector<std::string> sources = {"Close the file", "Open the folder", "Open a file",
                                            "Quit"};
  CHECK(nearest(sources, "Close the files") == 0);
  CHECK(nearest(sources, "Open the folders") == 1);
  CHECK(nearest(sources, "Open a folder") == 1);
  CHECK(nearest(sources, "Quitting") == 3);
  for (std::size_t i = 0; i < sources.size(); ++i) CHECK(nearest(sources, sources[i]) == i);
}

TEST_CASE("what a source has beyond the text counts against it, as does what it lacks") {
  CHECK(nearest({"abcdefgh", "abcd"}, "abc") == 1);
  CHECK(nearest({"a", "abcdef"}, "abcdefgh") == 1);
}

TEST_CASE("each order counts the same, however many n-grams it has") {
  // "ax" has 2/4 of the characters and 2/6 of the pairs (start and a) in common with "ab", "ba" all
  // of the characters and no pair: 5/6 against 1, though both have two n-grams in common.
  CHECK(nearest({"ax", "ba"}, "ab") == 1);
}

TEST_CASE("an n-gram is in common as often as both have it") {
  // Only the letter a, of 6 characters each: min(3, 1) against min(3, 3), then min(1, 3) twice.
  CHECK(nearest({"yayyyy", "yayaya"}, "axaxax") == 1);
  CHECK(nearest({"yayyyy", "yayaya"}, "axzvwu") == 0);
  CHECK(nearest({"yayaya", "yayyyy"}, "axzvwu") == 0);
}

TEST_CASE("start and end tell texts of the same characters apart") {
  CHECK(nearest({"xxa", "axx"}, "ayy") == 1);
  CHECK(nearest({"axx", "xxa"}, "yya") == 1);
}

TEST_CASE("letter case and white space count") {
  CHECK(nearest({"OPEN", "open"}, "open") == 1);
  CHECK(nearest({"set up", "setup"}, "setup") == 1);
}

TEST_CASE("of equally like sources the first is nearest") {
  CHECK(nearest({"x", "same", "same"}, "same") == 1);
  CHECK(nearest({"ab", "cb"}, "eb") == 0);
  CHECK(nearest({"cb", "ab"}, "eb") == 0);
}

TEST_CASE("without a common n-gram the first source is nearest") {
  CHECK(nearest({"abc", "def"}, "xyz") == 0);
  CHECK(nearest({"abc", "def"}, "") == 0);
  CHECK(nearest({""}, "abc") == 0);
  CHECK(nearest({"abc", "def", ""}, "") == 2);
}

TEST_CASE("the n-grams of sources are of characters, not bytes") {
  CHECK(nearest({"xx", "è"}, "é") == 0);  // é and è share their first byte
  CHECK(nearest({"x", "è", "é"}, "é") == 2);
  CHECK(nearest({"x", "\xC3"}, "\xC3") == 1);  // no character at all
}

TEST_CASE("no sources are refused") {
  CHECK_THAT(message_of<std::invalid_argument>([] { NearestSource({}); }),
             ContainsSubstring("0 sources"));
}

TEST_CASE("the nearest source is that of the definition on random texts") {
  std::vector<std::string> sources;
  for (std::uint64_t i = 0; i < 200; ++i) sources.push_back(random_text(mixed_seed(1, i)));
  const NearestSource index(sources);
  std::set<std::size_t> found;
  for (std::uint64_t i = 0; i < 200; ++i) {
    const auto text = random_text(mixed_seed(2, i));
    std::vector<double> likeness;
    for (const auto& source : sources) likeness.push_back(defined_likeness(text, source));
    const auto expected = std::max_element(likeness.begin(), likeness.end()) - likeness.begin();
    INFO(text);
    CHECK(index.nearest(text) == static_cast<std::size_t>(expected));
    found.insert(index.nearest(text));
  }
  CHECK(found.size() > 50);
}

}  // namespace zoo
