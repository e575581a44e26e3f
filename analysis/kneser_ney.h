#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zoo {

/// Interpolated Kneser-Ney n-grams over token ids (Ney, Essen & Kneser 1994; Chen & Goodman 1999):
/// the counted language model that a network has to beat.
///
/// P(w | c) = (max(N(c w) - D, 0) + D T(c) P(w | shorter c)) / N(c), T(c) the distinct tokens after
/// c, N(c) the sum of their N; P(w | c) = P(w | shorter c) after a context that was never counted,
/// and 1 / V below the empty one, so that no token is impossible. Each order has its own discount
/// D = n1 / (n1 + 2 n2), n1 and n2 the n-grams whose N is 1 and 2; 0.5 where either is none.
/// N counts occurrences at the highest order, below it the distinct tokens before the n-gram; where
/// a row starts with it there is none, and the occurrence counts, as after the usual <s>.
class KneserNey {
 public:
  /// n-grams of `order` >= 1 tokens, which are 0 .. vocab_size-1. Throws std::invalid_argument for
  /// another order or no token.
  KneserNey(std::int64_t order, std::int64_t vocab_size);

  /// Counts every token of the row from `first_predicted` on, after the up to order - 1 tokens
  /// before it in the row. Throws std::invalid_argument for a token that is none of the vocabulary,
  /// std::logic_error after finish().
  void count(std::span<const std::int64_t> row, std::size_t first_predicted);

  /// Makes the tables of what was counted; once, and before any question.
  void finish();

  /// P(token | context), > 0, over the vocabulary 1 in sum; the last order - 1 tokens of the
  /// context matter. Throws std::invalid_argument for a token that is none of the vocabulary,
  /// std::logic_error before finish().
  double probability(std::span<const std::int64_t> context, std::int64_t token) const;

  /// -log P in nats of every token of the row from `first_predicted` on, after those before it in
  /// the row; none where the row is no longer than that. Throws as probability() does.
  std::vector<double> losses(std::span<const std::int64_t> row, std::size_t first_predicted) const;

  /// Different n-grams of the highest order; 0 before finish().
  std::int64_t distinct_grams() const { return static_cast<std::int64_t>(tables_.back().size()); }

 private:
  /// The n-grams of one order. A context of j tokens has the key (id of its last j-1 tokens) V +
  /// (token before them), an n-gram the key (id of its context) V + (last token); an id is the
  /// place among the sorted keys, so keys stay small at every order.
  struct Table {
    std::vector<std::int64_t> contexts;   // sorted keys; order 1: none, the empty context is 0
    std::vector<std::int64_t> grams;      // sorted keys
    std::vector<std::int64_t> counts;     // N of each n-gram
    std::vector<std::int64_t> totals;     // N of each context
    std::vector<std::int64_t> followers;  // T of each context
    double discount = 0.5;

    std::size_t size() const { return grams.size(); }
    double interpolate(std::int64_t context, std::int64_t gram, double lower) const;
  };

  void expect_token(std::int64_t token) const;
  /// Turns the id of each token's context into that of the context one token longer, -1 where the
  /// row has none.
  void lengthen_contexts(Table& table, std::size_t length, std::vector<std::int64_t>& ids) const;
  void count_grams(Table& table, std::size_t length, const std::vector<std::int64_t>& ids) const;
  /// Adds to N of the lower order the distinct tokens before its n-grams.
  void count_continuations(const Table& table, Table& lower) const;
  void sum_up(Table& table) const;

  std::int64_t vocab_size_;
  std::vector<Table> tables_;         // [m - 1]: order m
  std::vector<std::int32_t> tokens_;  // of all rows, until they are counted
  std::vector<std::int64_t> before_;  // tokens before each in its row; -1: not to be counted
  bool finished_ = false;
};

}  // namespace zoo
