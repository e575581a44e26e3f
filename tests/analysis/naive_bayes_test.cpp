#include "analysis/naive_bayes.h"

#include <cmath>
#include <map>
#include <set>
#include <stdexcept>

#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// What the constructor says of arguments that it refuses.
std::string refusal(const std::vector<std::string>& texts, const std::vector<std::int32_t>& labels,
                    std::int64_t classes, std::int64_t highest_order = 4, double alpha = 1.0) {
  return message_of<std::invalid_argument>(
      [&] { NaiveBayes(texts, labels, classes, highest_order, alpha); });
}

std::vector<std::u32string> grams_of(const std::string& text, std::size_t highest_order) {
  std::u32string marked = {0x110000};
  for (const auto character : decode_utf8(text, "test")) marked += character;
  marked += char32_t{0x110001};
  std::vector<std::u32string> grams;
  for (std::size_t order = 1; order <= highest_order; ++order) {
    for (std::size_t at = 0; at + order <= marked.size(); ++at) {
      const bool is_mark = order == 1 && (at == 0 || at + 1 == marked.size());
      if (!is_mark) grams.push_back(marked.substr(at, order));
    }
  }
  return grams;
}

/// The definition, with a table for each class.
std::vector<double> defined_scores(const std::vector<std::string>& texts,
                                   const std::vector<std::int32_t>& labels, std::size_t classes,
                                   std::size_t highest_order, double alpha,
                                   const std::string& text) {
  std::vector<std::map<std::u32string, double>> counts(classes);
  std::vector<double> totals(classes, 0.0), texts_of(classes, 0.0);
  std::set<std::u32string> known;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    ++texts_of[label];
    for (const auto& gram : grams_of(texts[i], highest_order)) {
      ++counts[label][gram];
      ++totals[label];
      known.insert(gram);
    }
  }
  std::vector<double> scores;
  for (std::size_t label = 0; label < classes; ++label) {
    double score = std::log((texts_of[label] + 1) / static_cast<double>(texts.size() + classes));
    for (const auto& gram : grams_of(text, highest_order)) {
      if (!known.contains(gram)) continue;
      score += std::log((counts[label][gram] + alpha) /
                        (totals[label] + alpha * static_cast<double>(known.size())));
    }
    scores.push_back(score);
  }
  return scores;
}

/// A text of up to ten characters, some of them longer than a byte.
std::string random_text(std::uint64_t seed) {
  std::string text;
  const auto length = random_below(mixed_seed(seed, 0), 11);
  for (std::int64_t i = 1; i <= length; ++i) {
    constexpr std::u32string_view kAlphabet = U"abcdé€😀";
    const auto drawn = random_below(mixed_seed(seed, static_cast<std::uint64_t>(i)), 7);
    append_utf8(text, kAlphabet[static_cast<std::size_t>(drawn)]);
  }
  return text;
}

}  // namespace

TEST_CASE("single characters are scored as computed by hand") {
  // Class 0 has a twice and b once, class 1 has b once; 2 distinct grams.
  const NaiveBayes model({"ab", "a", "b"}, {0, 0, 1}, 2, 1, 1.0);
  const auto scores = model.scores("aab");
  REQUIRE(scores.size() == 2);
  CHECK(scores[0] == Approx(std::log(3.0 / 5 * 3 / 5 * 3 / 5 * 2 / 5)));
  CHECK(scores[1] == Approx(std::log(2.0 / 5 * 1 / 3 * 1 / 3 * 2 / 3)));
  CHECK(model.predict("aab") == 0);
  CHECK(model.predict("bb") == 1);
}

TEST_CASE("pairs count the marks of start and end, and alpha smooths") {
  // The grams of class 0: a, <a, a>; of class 1: b, <b, b>.
  const NaiveBayes model({"a", "b"}, {0, 1}, 2, 2, 0.5);
  const auto scores = model.scores("ab");  // a, b, <a, b>; ab is unknown
  CHECK(scores[0] == Approx(std::log(0.5 * 1.5 * 0.5 * 1.5 * 0.5 / std::pow(6.0, 4))));
  CHECK(scores[1] == Approx(scores[0]));
  CHECK(NaiveBayes({"ab", "ba"}, {0, 1}, 2, 2).predict("a") == 0);  // <a and a>, one of each: a tie
  CHECK(NaiveBayes({"ab", "ba"}, {0, 1}, 2, 2).predict("bb") == 0);
  CHECK(NaiveBayes({"xab", "bax"}, {1, 0}, 2, 3).predict("cab") == 1);  // by ab>
}

TEST_CASE("of equally likely classes the first is predicted") {
  CHECK(NaiveBayes({"a", "a", "b"}, {2, 1, 0}, 3).predict("a") == 1);
}

TEST_CASE("an empty text and one of unseen characters are judged by the classes' frequency") {
  const NaiveBayes model({"a", "b", "c"}, {0, 1, 1}, 3);
  for (const std::string text : {"xyz", "ß"}) {
    INFO(text);
    const auto scores = model.scores(text);
    CHECK(scores[0] == Approx(std::log(2.0 / 6)));
    CHECK(scores[1] == Approx(std::log(3.0 / 6)));
    CHECK(scores[2] == Approx(std::log(1.0 / 6)));
    CHECK(model.predict(text) == 1);
  }
  CHECK(model.scores("") == model.scores("xyz"));
  CHECK(NaiveBayes({}, {}, 2).scores("a")[1] == Approx(std::log(0.5)));
}

TEST_CASE("an empty training text is known by its start and end being neighbours") {
  const NaiveBayes model({"", "a", "a"}, {0, 1, 1}, 2);
  CHECK(model.predict("") == 0);
  CHECK(model.predict("a") == 1);
}

TEST_CASE("n-grams are of characters, not bytes") {
  // é and è share their first byte, which must not count.
  const NaiveBayes model({"é", "x"}, {0, 1}, 2, 1);
  const auto unseen = model.scores("è");
  CHECK(unseen[0] == Approx(unseen[1]));
  CHECK(model.predict("é") == 0);
  CHECK(NaiveBayes({"x", "\xC3"}, {0, 1}, 2, 1).predict("\xC3") == 1);  // no character at all
}

TEST_CASE("scores are those of the definition on random texts") {
  std::vector<std::string> texts;
  std::vector<std::int32_t> labels;
  for (std::uint64_t i = 0; i < 200; ++i) {
    texts.push_back(random_text(mixed_seed(1, i)));
    labels.push_back(static_cast<std::int32_t>(random_below(mixed_seed(2, i), 3)));
  }
  for (const std::size_t highest_order : {1, 2, 4, 6}) {
    const NaiveBayes model(texts, labels, 4, static_cast<std::int64_t>(highest_order), 0.3);
    for (std::uint64_t i = 0; i < 30; ++i) {
      const auto text = random_text(mixed_seed(3, i));
      INFO(text);
      const auto expected = defined_scores(texts, labels, 4, highest_order, 0.3, text);
      const auto scores = model.scores(text);
      REQUIRE(scores.size() == expected.size());
      for (std::size_t label = 0; label < scores.size(); ++label) {
        CHECK(scores[label] == Approx(expected[label]).epsilon(1e-10));
      }
    }
  }
}

TEST_CASE("counts of more grams than fit between two merges are complete") {
  // 3,000 texts of 399 a and one b: 1,200,000 single characters.
  const std::vector<std::string> texts(3000, std::string(399, 'a') + "b");
  std::vector<std::int32_t> labels(3000, 0);
  labels.back() = 1;
  const auto scores = NaiveBayes(texts, labels, 2, 1, 1.0).scores("b");
  CHECK(scores[0] == Approx(std::log(3000.0 / 3002 * 3000 / (2999 * 400 + 2))));
  CHECK(scores[1] == Approx(std::log(2.0 / 3002 * 2 / 402)));
}

TEST_CASE("what cannot be counted is refused") {
  CHECK_THAT(refusal({"a"}, {}, 1), ContainsSubstring("1 texts and 0 labels"));
  CHECK_THAT(refusal({"a"}, {1}, 1), ContainsSubstring("label 1 of 1 classes"));
  CHECK_THAT(refusal({"a"}, {-1}, 1), ContainsSubstring("label -1"));
  CHECK_THAT(refusal({}, {}, 0), ContainsSubstring("0 classes"));
  CHECK_THAT(refusal({}, {}, 1, 0), ContainsSubstring("highest order 0"));
  CHECK_THAT(refusal({}, {}, 1, 1, 0.0), ContainsSubstring("alpha 0"));
}

}  // namespace zoo
