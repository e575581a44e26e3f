#include "text/near_duplicates.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "core/random.h"
#include "tests/support/catch.h"
#include "text/utf8.h"

namespace zoo {
namespace {

bool near(std::string_view text, const std::vector<std::string_view>& known) {
  return NearDuplicateIndex(known).has_near(text);
}

std::set<std::u32string> grams_of(std::string_view text) {
  const auto characters = decode_utf8(normalised_text(text), "test");
  std::set<std::u32string> grams;
  for (std::size_t i = 0; i + 4 <= characters.size(); ++i) {
    grams.emplace(characters.begin() + static_cast<std::ptrdiff_t>(i),
                  characters.begin() + static_cast<std::ptrdiff_t>(i) + 4);
  }
  return grams;
}

/// A text in both forms that the definition compares.
struct Compared {
  explicit Compared(std::string_view text) : form(normalised_text(text)), grams(grams_of(text)) {}
  std::string form;
  std::set<std::u32string> grams;
};

/// The definition, one text against all.
bool near_by_definition(const Compared& a, const std::vector<Compared>& known) {
  return std::any_of(known.begin(), known.end(), [&](const Compared& b) {
    if (a.form == b.form) return true;
    std::vector<std::u32string> common;
    std::set_intersection(a.grams.begin(), a.grams.end(), b.grams.begin(), b.grams.end(),
                          std::back_inserter(common));
    const auto united = a.grams.size() + b.grams.size() - common.size();
    return !common.empty() && 5 * common.size() >= 4 * united;
  });
}

/// Texts over a small alphabet, every second one an earlier one with a few characters changed.
std::vector<std::string> random_texts(int count, std::uint64_t seed, std::int64_t alphabet) {
  std::vector<std::string> texts;
  for (int i = 0; i < count; ++i) {
    std::uint64_t draws = 0;
    const auto draw = [&](std::int64_t bound) {
      const auto own = mixed_seed(seed, static_cast<std::uint64_t>(i));
      return random_below(mixed_seed(own, draws++), bound);
    };
    const auto letter = [&](std::int64_t drawn) { return static_cast<char>('a' + drawn); };
    std::string text;
    if (i % 2 == 1) {
      text = texts[static_cast<std::size_t>(draw(i))];
      for (auto changes = 1 + draw(3); changes > 0; --changes) {
        text[static_cast<std::size_t>(draw(static_cast<std::int64_t>(text.size())))] =
            letter(draw(alphabet));
      }
    } else {
      for (auto length = 3 + draw(60); length > 0; --length) text += letter(draw(alphabet));
    }
    texts.push_back(text);
  }
  return texts;
}

}  // namespace

TEST_CASE("the normalised form folds case, digits, punctuation and white space") {
  CHECK(normalised_text("  Open,\t the \"FILE\"... 42 ") == "open the file 00");
  CHECK(normalised_text("STRASSE") == normalised_text("straße"));
  CHECK(normalised_text("_Öffnen…") == normalised_text("o\xCC\x88"
                                                       "ffnen"));
  CHECK(normalised_text("\xD9\xA3") == "0");  // an Arabic-Indic three
  CHECK(normalised_text("?!").empty());
  CHECK(normalised_text("").empty());
}

TEST_CASE("texts of equal normalised form are near, however short") {
  CHECK(near("Yes!", {"no", "yes"}));
  CHECK(near("7", {"3"}));
  CHECK_FALSE(near("ab", {"abc"}));
  CHECK_FALSE(near("...", {"?", "!"}));
  CHECK_FALSE(near("yes", {}));
}

TEST_CASE("long texts that differ in little are near, others are not") {
  CHECK(near("could not open the file for reading and for writing at the same time",
             {"could not open a file for reading and for writing at the same time"}));
  CHECK_FALSE(
      near("could not open the file for reading", {"could not close the pipe for reading"}));
  CHECK_FALSE(near("abcdefgh", {"zyxwvuts"}));
}

TEST_CASE("a similarity of just 0.8 is near, of just less is not") {
  // 8 grams of which the first has all and one more: 8/9; then 8/10; then 8/11.
  CHECK(near("abcdefghijk", {"abcdefghijkl"}));
  CHECK(near("abcdefghijk", {"abcdefghijklm"}));
  CHECK_FALSE(near("abcdefghijk", {"abcdefghijklmn"}));
  CHECK(near("abcdefghijklm", {"abcdefghijk"}));
  CHECK_FALSE(near("abcdefghijklmn", {"abcdefghijk"}));
}

TEST_CASE("the index finds just what comparing with each text finds") {
  for (const std::int64_t alphabet : {2, 4, 20}) {
    const auto known = random_texts(300, 1, alphabet);
    auto queries = random_texts(100, 2, alphabet);
    for (std::size_t i = 0; i < 200; ++i) {
      auto changed = known[i];
      changed.insert(changed.size() / 2, "z");
      if (i % 3 == 0) changed[0] = 'y';
      queries.push_back(changed);
    }
    const std::vector<Compared> compared(known.begin(), known.end());
    const NearDuplicateIndex index({known.begin(), known.end()});
    int found = 0;
    for (const auto& query : queries) {
      INFO(query);
      const bool expected = near_by_definition(Compared(query), compared);
      CHECK(index.has_near(query) == expected);
      found += expected ? 1 : 0;
    }
    CHECK(found > 20);
    CHECK(found < 280);
  }
}

}  // namespace zoo
