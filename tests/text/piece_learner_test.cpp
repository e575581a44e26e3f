#include "text/tokenizers/piece_learner.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/random.h"
#include "tests/support/catch.h"
#include "text/utf8.h"

namespace zoo {
namespace {

using Tokens = std::vector<std::string>;
using Merges = std::vector<std::pair<std::string, std::string>>;

/// The definition, word for word: counts all pairs again before each merge. For ASCII.
class SimpleLearner {
 public:
  SimpleLearner(const WordCounts& counts, const PieceLearnerOptions& options) : options_(options) {
    std::set<std::string> characters(options.alphabet.begin(), options.alphabet.end());
    std::set<std::string> inside;
    for (const auto& special : options.specials) id_of(special);
    for (const auto& [word, count] : counts) {
      for (const auto character : word) characters.emplace(1, character);
      for (const auto character : word.substr(1)) inside.emplace(1, character);
    }
    for (const auto& character : characters) id_of(character);
    for (const auto& character : inside) id_of(options.continuing_prefix + character);
    for (const auto& [word, count] : counts) {
      std::vector<std::size_t> pieces;
      for (std::size_t i = 0; i < word.size(); ++i) {
        pieces.push_back(id_of((i > 0 ? options.continuing_prefix : "") + word[i]));
      }
      words_.emplace_back(pieces, count);
    }
  }

  LearnedPieces learn() {
    while (static_cast<std::int64_t>(learned_.tokens.size()) < options_.vocab_size && join()) {
    }
    return learned_;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  std::size_t id_of(const std::string& token) {
    auto& tokens = learned_.tokens;
    const auto entry = std::find(tokens.begin(), tokens.end(), token);
    if (entry != tokens.end()) return static_cast<std::size_t>(entry - tokens.begin());
    tokens.push_back(token);
    return tokens.size() - 1;
  }

  bool join() {
    std::map<Pair, std::int64_t> counts;
    for (const auto& [pieces, count] : words_) {
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i)
        counts[{pieces[i], pieces[i + 1]}] += count;
    }
    // The first of the largest, and so the one with the lowest ids.
    const auto best = std::max_element(counts.begin(), counts.end(),
                                       [](auto& a, auto& b) { return a.second < b.second; });
    if (best == counts.end() || best->second < options_.min_frequency) return false;
    const auto [left, right] = best->first;
    auto ending = learned_.tokens[right];
    const auto& prefix = options_.continuing_prefix;
    learned_.merges.emplace_back(learned_.tokens[left], ending);
    if (ending.starts_with(prefix)) ending = ending.substr(prefix.size());
    const auto joined = id_of(learned_.tokens[left] + ending);
    for (auto& [pieces, count] : words_) {
      for (std::size_t i = 0; i + 1 < pieces.size(); ++i) {
        if (pieces[i] != left || pieces[i + 1] != right) continue;
        pieces[i] = joined;
        pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
    }
    return true;
  }

  PieceLearnerOptions options_;
  LearnedPieces learned_;
  std::vector<std::pair<std::vector<std::size_t>, std::int64_t>> words_;
};

/// Draws numbers one after the other.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return random_below(mixed_seed(seed_, ++drawn_), bound);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t drawn_ = 0;
};

/// Few characters in long words: many pairs overlap and many counts are equal.
WordCounts random_words(Dice& dice, std::string_view characters) {
  WordCounts words;
  const auto count = 1 + dice.below(30);
  for (std::int64_t i = 0; i < count; ++i) {
    std::string word;
    const auto size = 1 + dice.below(i % 3 == 0 ? 30 : 6);
    for (std::int64_t j = 0; j < size; ++j) {
      const auto choice = dice.below(static_cast<std::int64_t>(characters.size()));
      word += characters[static_cast<std::size_t>(choice)];
    }
    words[word] = 1 + dice.below(9);
  }
  return words;
}

}  // namespace

TEST_CASE("learn_pieces joins the most frequent pair first") {
  // The words of Sennrich et al. (2016), algorithm 1.
  const WordCounts words = {{"low_", 5}, {"lower_", 2}, {"newest_", 6}, {"widest_", 3}};
  const auto learned = learn_pieces(words, {.vocab_size = 14});
  CHECK(learned.tokens ==
        Tokens{"_", "d", "e", "i", "l", "n", "o", "r", "s", "t", "w", "es", "t_", "est_"});
  CHECK(learned.merges == Merges{{"e", "s"}, {"t", "_"}, {"es", "t_"}});
}

TEST_CASE("Of pairs that are equally frequent learn_pieces joins the one with the lower ids") {
  PieceLearnerOptions options{.vocab_size = 9, .specials = {"d"}};
  CHECK(learn_pieces({{"cd", 2}, {"ab", 2}, {"ef", 2}}, options).merges ==
        Merges{{"a", "b"}, {"c", "d"}, {"e", "f"}});
  CHECK(learn_pieces({{"cd", 2}, {"dc", 2}, {"cc", 2}}, options).merges ==
        Merges{{"d", "c"}, {"c", "d"}, {"c", "c"}});
}

TEST_CASE("learn_pieces gives ids to special tokens, then to characters by code point") {
  const auto learned =
      learn_pieces({{"é😀漢", 1}, {"za", 1}},
                   {.vocab_size = 0, .specials = {"<s>", "z"}, .alphabet = {"q", "a", "ß"}});
  CHECK(learned.tokens == Tokens{"<s>", "z", "a", "q", "ß", "é", "漢", "😀"});
  CHECK(learned.merges.empty());
}

TEST_CASE("learn_pieces marks pieces inside a word with the continuing prefix") {
  const PieceLearnerOptions options{
      .vocab_size = 9, .specials = {"[UNK]"}, .continuing_prefix = "##"};
  const auto learned = learn_pieces({{"aba", 3}, {"b", 1}, {"ab", 1}}, options);
  CHECK(learned.tokens == Tokens{"[UNK]", "a", "b", "##a", "##b", "ab", "aba"});
  CHECK(learned.merges == Merges{{"a", "##b"}, {"ab", "##a"}});
}

TEST_CASE("learn_pieces joins no pair that is rarer than min_frequency") {
  PieceLearnerOptions options{.vocab_size = 99};
  options.min_frequency = 3;
  CHECK(learn_pieces({{"ab", 3}, {"cd", 2}}, options).merges == Merges{{"a", "b"}});
  options.min_frequency = 0;
  CHECK(learn_pieces({{"ab", 3}, {"cd", 0}}, options).merges == Merges{{"a", "b"}});
}

TEST_CASE("learn_pieces gives a joined token that is there already no second id") {
  const auto learned = learn_pieces({{"abc", 2}}, {.vocab_size = 9, .specials = {"ab"}});
  CHECK(learned.tokens == Tokens{"ab", "a", "b", "c", "abc"});
  CHECK(learned.merges == Merges{{"a", "b"}, {"ab", "c"}});
}

TEST_CASE("learn_pieces joins a run of one character from the left") {
  const auto learned = learn_pieces({{"aaaaaaa", 1}}, {.vocab_size = 9});
  CHECK(learned.tokens == Tokens{"a", "aa", "aaaa", "aaa", "aaaaaaa"});
}

TEST_CASE("learn_pieces joins a run from the left although its first piece came last") {
  // "##" and "##a" give "##a", which stands inside the word already.
  const auto learned =
      learn_pieces({{"##aaa", 1}, {"##a", 5}}, {.vocab_size = 99, .continuing_prefix = "##"});
  CHECK(learned.merges == Merges{{"#", "###"}, {"##", "##a"}, {"##a", "##a"}, {"##aa", "##a"}});
}

TEST_CASE("learn_pieces takes empty input and bytes that are not UTF-8") {
  const PieceLearnerOptions options{.vocab_size = 9};
  CHECK(learn_pieces({}, options).tokens.empty());
  CHECK(learn_pieces({{"", 3}}, options).tokens.empty());
  CHECK(learn_pieces({{"\xFF\xC3", 2}}, options).tokens == Tokens{"\xC3", "\xFF", "\xFF\xC3"});
}

TEST_CASE("learn_pieces finds what counting all pairs before each merge finds") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    PieceLearnerOptions options{.specials = {"[UNK]"}, .alphabet = {"z"}};
    options.vocab_size = dice.below(90);
    options.min_frequency = 1 + dice.below(3);
    if (dice.below(2) == 0) options.specials.emplace_back("ab");
    if (dice.below(2) == 0) options.continuing_prefix = "##";
    // "#" stands in words so that prefixed and other tokens meet.
    const auto words = random_words(dice, dice.below(2) == 0 ? "ab" : "abc#");
    const auto learned = learn_pieces(words, options);
    const auto expected = SimpleLearner(words, options).learn();
    CAPTURE(seed);
    CHECK(learned.tokens == expected.tokens);
    CHECK(learned.merges == expected.merges);
  }
}

TEST_CASE("learn_pieces takes one long word without counting it again for each merge") {
  // Half a million characters and 500 merges: a pass a merge would take minutes.
  Dice dice(1);
  std::string word;
  for (int i = 0; i < 500000; ++i) word += static_cast<char>('a' + dice.below(26));
  const auto learned = learn_pieces({{word, 1}}, {.vocab_size = 526});
  CHECK(learned.tokens.size() == 526);
}

}  // namespace zoo
