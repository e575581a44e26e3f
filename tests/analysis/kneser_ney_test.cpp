#include "analysis/kneser_ney.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>

#include "core/files.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Tokens = std::vector<std::int64_t>;

constexpr std::int64_t kMostTokens = (std::int64_t{1} << 31) - 1;

struct Row {
  Tokens tokens;
  std::size_t first_predicted = 0;
};

KneserNey counted(std::int64_t order, std::int64_t vocab_size, const std::vector<Row>& rows) {
  KneserNey model(order, vocab_size);
  for (const auto& row : rows) model.count(row.tokens, row.first_predicted);
  model.finish();
  return model;
}

/// The formulas of the header as they stand, over n-grams written out.
class DefinedKneserNey {
 public:
  DefinedKneserNey(std::size_t order, std::int64_t vocab_size, const std::vector<Row>& rows)
      : vocab_size_(vocab_size), counts_(order + 1), discounts_(order + 1, 0.5) {
    std::vector<std::map<Tokens, std::set<std::int64_t>>> before(order + 1);
    for (const auto& row : rows) {
      for (auto i = row.first_predicted; i < row.tokens.size(); ++i) {
        for (std::size_t m = 1; m <= std::min(order, i + 1); ++m) {
          const auto start = row.tokens.begin() + static_cast<std::ptrdiff_t>(i + 1 - m);
          const Tokens gram(start, start + static_cast<std::ptrdiff_t>(m));
          if (m == order || i + 1 == m) {
            ++counts_[m][gram];
          } else {
            before[m][gram].insert(*(start - 1));
          }
        }
      }
    }
    for (std::size_t m = 1; m <= order; ++m) {
      for (const auto& [gram, tokens] : before[m]) {
        counts_[m][gram] += static_cast<double>(tokens.size());
      }
      std::map<double, double> grams_of_count;
      for (const auto& [gram, count] : counts_[m]) ++grams_of_count[count];
      const auto once = grams_of_count[1], twice = grams_of_count[2];
      if (once > 0 && twice > 0) discounts_[m] = once / (once + 2 * twice);
    }
  }

  /// The context is no longer than order - 1.
  double probability(const Tokens& context, std::int64_t token) const {
    const auto m = context.size() + 1;
    const auto lower = m == 1 ? 1.0 / static_cast<double>(vocab_size_)
                              : probability(Tokens(context.begin() + 1, context.end()), token);
    double total = 0.0, followers = 0.0, count = 0.0;
    for (const auto& [gram, of_gram] : counts_[m]) {
      if (!std::equal(context.begin(), context.end(), gram.begin())) continue;
      total += of_gram;
      ++followers;
      if (gram.back() == token) count = of_gram;
    }
    if (total == 0.0) return lower;
    const auto kept = std::max(count - discounts_[m], 0.0);
    return (kept + discounts_[m] * followers * lower) / total;
  }

 private:
  std::int64_t vocab_size_;
  std::vector<std::map<Tokens, double>> counts_;  // [m]: N of the n-grams of order m
  std::vector<double> discounts_;
};

/// Skewed tokens below `bound`, so that contexts come again.
Tokens random_tokens(std::uint64_t seed, std::int64_t count, std::int64_t bound) {
  Tokens tokens;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto drawn = random_below(mixed_seed(seed, static_cast<std::uint64_t>(i)), bound * bound);
    tokens.push_back(drawn / bound * (drawn % bound) / bound);
  }
  return tokens;
}

/// Lines between boundaries, and longer rows of which some tokens only serve as context.
std::vector<Row> random_rows(std::uint64_t seed) {
  std::vector<Row> rows;
  for (std::uint64_t i = 0; i < 20; ++i) {
    auto tokens = random_tokens(mixed_seed(seed, i), static_cast<std::int64_t>(i % 6), 5);
    tokens.insert(tokens.begin(), 0);
    tokens.push_back(0);
    rows.push_back({tokens, 1});
  }
  rows.push_back({random_tokens(seed, 100, 5), 0});
  rows.push_back({random_tokens(seed + 1, 20, 5), 7});
  return rows;
}

std::vector<Tokens> contexts_up_to(std::size_t length, std::int64_t bound) {
  std::vector<Tokens> contexts = {{}};
  for (std::size_t i = 0; i < contexts.size(); ++i) {
    if (contexts[i].size() == length) break;
    for (std::int64_t token = 0; token < bound; ++token) {
      contexts.push_back(contexts[i]);
      contexts.back().push_back(token);
    }
  }
  return contexts;
}

}  // namespace

TEST_CASE("Kneser-Ney bigrams are those computed by hand") {
  // $ 0, a 1, b 2, and a token 3 that is never counted.
  // $ab$ and $aa$: $a 2, ab 1, b$ 1, aa 1, a$ 1; n1 = 4, n2 = 1, D = 4 / 6.
  // Before a stand $ and a, before b stands a, before $ stand b and a; n1 = 1, n2 = 2, D = 1 / 5.
  const auto model = counted(2, 4, {{{0, 1, 2, 0}, 1}, {{0, 1, 1, 0}, 1}});
  const double a = (2 - 0.2) / 5 + 0.2 * 3 / 5 / 4, b = (1 - 0.2) / 5 + 0.2 * 3 / 5 / 4;
  CHECK(a == Approx(0.39));
  CHECK(model.probability({}, 0) == Approx(0.39));
  CHECK(model.probability({}, 1) == Approx(0.39));
  CHECK(model.probability({}, 2) == Approx(0.19));
  CHECK(model.probability({}, 3) == Approx(0.03));
  const Tokens after_boundary = {0}, after_a = {1}, after_unseen = {3};
  CHECK(model.probability(after_boundary, 1) == Approx((2 - 2.0 / 3) / 2 + 2.0 / 3 * 1 / 2 * a));
  CHECK(model.probability(after_boundary, 2) == Approx(2.0 / 3 * 1 / 2 * b));
  CHECK(model.probability(after_a, 2) == Approx((1 - 2.0 / 3) / 3 + 2.0 / 3 * 3 / 3 * b));
  CHECK(model.probability(after_a, 3) == Approx(2.0 / 3 * 3 / 3 * 0.03));
  CHECK(model.probability(after_unseen, 1) == Approx(a));
  CHECK(model.distinct_grams() == 5);
}

TEST_CASE("Kneser-Ney trigrams count what starts a row by its occurrences") {
  // $ab$ twice and $aa$. Trigrams: $ab 2, ab$ 2, $aa 1, aa$ 1; n1 = 2, n2 = 2, D = 1 / 3.
  // Bigrams: $a 3 occurrences at the start; ab, b$, aa, a$ after one token each; n2 = 0, D = 0.5.
  // Unigrams as in the bigrams' case: P(a) = 0.39, P(b) = 0.19.
  const auto model = counted(3, 4, {{{0, 1, 2, 0}, 1}, {{0, 1, 2, 0}, 1}, {{0, 1, 1, 0}, 1}});
  const double a_at_start = (3 - 0.5) / 3 + 0.5 * 1 / 3 * 0.39;
  const double b_after_a = (1 - 0.5) / 3 + 0.5 * 3 / 3 * 0.19;
  const double b_after_start_a = (2 - 1.0 / 3) / 3 + 1.0 / 3 * 2 / 3 * b_after_a;
  CHECK(model.probability(Tokens{0}, 1) == Approx(a_at_start));
  CHECK(model.probability(Tokens{1}, 2) == Approx(b_after_a));
  CHECK(model.probability(Tokens{0, 1}, 2) == Approx(b_after_start_a));
  const auto losses = model.losses(Tokens{0, 1, 2}, 1);
  REQUIRE(losses.size() == 2);
  CHECK(losses[0] == Approx(-std::log(a_at_start)));
  CHECK(losses[1] == Approx(-std::log(b_after_start_a)));
}

TEST_CASE("Kneser-Ney probabilities are those of the definition on random rows") {
  for (const std::int64_t vocab_size : {std::int64_t{7}, kMostTokens}) {
    for (std::size_t order = 1; order <= 6; ++order) {
      INFO("order " << order << ", vocabulary " << vocab_size);
      auto rows = random_rows(order);
      // Keys are largest where tokens are.
      for (auto& row : rows) {
        for (auto& token : row.tokens) token = vocab_size - 1 - token;
      }
      const auto model = counted(static_cast<std::int64_t>(order), vocab_size, rows);
      const DefinedKneserNey defined(order, vocab_size, rows);
      for (std::uint64_t i = 0; i < 300; ++i) {
        auto tokens = random_tokens(mixed_seed(7, i), static_cast<std::int64_t>(1 + i % order), 6);
        for (auto& token : tokens) token = vocab_size - 1 - token;
        const auto next = tokens.back();
        tokens.pop_back();
        CHECK(model.probability(tokens, next) == Approx(defined.probability(tokens, next)));
      }
    }
  }
}

TEST_CASE("Kneser-Ney probabilities are positive and sum to 1 after seen and unseen contexts") {
  constexpr std::int64_t kVocabulary = 6;  // 5 is never counted
  for (std::size_t order = 1; order <= 6; ++order) {
    const auto model = counted(static_cast<std::int64_t>(order), kVocabulary, random_rows(order));
    for (const auto& context : contexts_up_to(std::min<std::size_t>(order, 4), kVocabulary)) {
      double sum = 0.0, least = 1.0;
      for (std::int64_t token = 0; token < kVocabulary; ++token) {
        const auto probability = model.probability(context, token);
        sum += probability;
        least = std::min(least, probability);
      }
      REQUIRE(sum == Approx(1.0).epsilon(1e-12));
      REQUIRE(least > 0.0);
    }
  }
}

TEST_CASE("Kneser-Ney of order 1 discounts frequencies and knows no context") {
  // 0 twice, 1 and 2 once: D = 2 / (2 + 2), three tokens are discounted.
  const auto model = counted(1, 5, {{{0, 1, 0, 2}, 0}});
  const double unseen = 0.5 * 3 / 4 / 5;
  CHECK(model.probability({}, 0) == Approx((2 - 0.5) / 4 + unseen));
  CHECK(model.probability({}, 1) == Approx((1 - 0.5) / 4 + unseen));
  CHECK(model.probability({}, 4) == Approx(unseen));
  CHECK(model.probability(Tokens{1, 4}, 1) == model.probability({}, 1));
}

TEST_CASE("Kneser-Ney looks at the last order - 1 tokens of its row, and at no other row") {
  const std::vector<Row> rows = {{{1, 2, 3, 4}, 0}, {{2, 3, 1}, 1}};
  const auto model = counted(3, 5, rows);
  CHECK(model.probability(Tokens{0, 0, 2, 3}, 4) == model.probability(Tokens{2, 3}, 4));
  CHECK(model.losses(rows[0].tokens, 3).front() == -std::log(model.probability(Tokens{2, 3}, 4)));
  CHECK(model.losses(rows[0].tokens, 0).front() == -std::log(model.probability({}, 1)));
  CHECK(model.losses(rows[0].tokens, 4).empty());
  CHECK(model.losses(Tokens{}, 1).empty());
  // 4 and then 2 stand in different rows.
  CHECK(model.probability(Tokens{4}, 2) == model.probability({}, 2));
}

TEST_CASE("Kneser-Ney that has counted nothing takes all tokens for equally likely") {
  CHECK(counted(3, 4, {}).probability(Tokens{1, 2}, 3) == 0.25);
  CHECK(counted(3, 4, {{{1, 2}, 2}, {{1}, 5}}).probability({}, 0) == 0.25);
  CHECK(counted(2, 1, {{{0, 0}, 0}}).probability(Tokens{0}, 0) == Approx(1.0));
}

TEST_CASE("Kneser-Ney predicts held-out names better than bigrams with one added") {
  std::istringstream file(read_file("data/names.txt"));
  std::vector<Row> train, held_out;
  for (std::string line; std::getline(file, line);) {
    Tokens tokens = {0};
    for (const char letter : line) tokens.push_back(letter - 'a' + 1);
    tokens.push_back(0);
    auto& rows = (train.size() + held_out.size()) % 10 == 9 ? held_out : train;
    rows.push_back({tokens, 1});
  }
  constexpr std::int64_t kVocabulary = 27;
  std::map<std::pair<std::int64_t, std::int64_t>, double> pairs;
  std::map<std::int64_t, double> firsts;
  for (const auto& [tokens, first] : train) {
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      ++pairs[{tokens[i - 1], tokens[i]}];
      ++firsts[tokens[i - 1]];
    }
  }
  double added_one = 0.0, n_predicted = 0.0;
  for (const auto& [tokens, first] : held_out) {
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      added_one -=
          std::log((pairs[{tokens[i - 1], tokens[i]}] + 1) / (firsts[tokens[i - 1]] + kVocabulary));
      ++n_predicted;
    }
  }
  double previous = 0.0;
  for (std::int64_t order = 1; order <= 5; ++order) {
    const auto model = counted(order, kVocabulary, train);
    double sum = 0.0;
    for (const auto& [tokens, first] : held_out) {
      const auto losses = model.losses(tokens, first);
      sum = std::accumulate(losses.begin(), losses.end(), sum);
    }
    INFO("order " << order << ": " << sum / n_predicted << " nats, with one added "
                  << added_one / n_predicted);
    if (order > 1) CHECK(sum < previous);
    if (order == 2) CHECK(sum / n_predicted == Approx(added_one / n_predicted).epsilon(0.01));
    if (order > 2) CHECK(sum < 0.95 * added_one);
    previous = sum;
  }
}

TEST_CASE("Kneser-Ney refuses what it cannot count, and questions before it has finished") {
  using Invalid = std::invalid_argument;
  CHECK(message_of<Invalid>([] { KneserNey(0, 3); }) ==
        "Kneser-Ney: order 0; at least 1 is needed");
  CHECK(message_of<Invalid>([] { KneserNey(2, 0); }) ==
        "Kneser-Ney: 0 tokens; 1 to 2147483647 are possible");
  CHECK_THROWS_AS(KneserNey(2, kMostTokens + 1), Invalid);
  KneserNey model(2, 3);
  CHECK_THROWS_AS(model.probability({}, 0), std::logic_error);
  CHECK(message_of<Invalid>([&] { model.count(Tokens{0, 3}, 2); }) ==
        "Kneser-Ney: token 3; 0 to 2 are known");
  CHECK_THROWS_AS(model.count(Tokens{-1}, 0), Invalid);
  model.count(Tokens{0, 1, 2}, 0);
  model.finish();
  CHECK(message_of<std::logic_error>([&] { model.count(Tokens{0}, 0); }) ==
        "Kneser-Ney: the counting is finished");
  CHECK_THROWS_AS(model.finish(), std::logic_error);
  CHECK_THROWS_AS(model.probability({}, 3), Invalid);
  CHECK_THROWS_AS(model.probability(Tokens{-1}, 0), Invalid);
}

}  // namespace zoo
