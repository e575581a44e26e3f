#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

namespace zoo {

/// Counts tokens between their two neighbours: what may stand in a hidden place, from counting
/// alone. A neighbour that is hidden too, or not there, is kUnknown, and the other one decides.
class NeighbourTable {
 public:
  static constexpr std::int64_t kUnknown = -1;

  explicit NeighbourTable(std::int64_t vocab_size) : vocab_size_(vocab_size) {}

  /// Counts the tokens of a row that `may_be_hidden` with what they stand between.
  void count(const std::vector<std::int64_t>& row,
             const std::function<bool(std::int64_t)>& may_be_hidden);

  /// How likely a token is by itself, (N(c) + 0.1) / (N + 0.1 V).
  double probability(std::int64_t token) const;
  /// How likely it is between two others: (N(l, c, r) + P(c)) / (N(l, r) + 1).
  double probability(std::int64_t left, std::int64_t token, std::int64_t right) const;

  /// The token that was counted most there; where nothing was, the most frequent of all.
  std::int64_t likeliest(std::int64_t left, std::int64_t right) const;

  /// Different tokens, and different tokens between different neighbours.
  std::int64_t distinct_tokens() const;
  std::int64_t distinct_triples() const { return distinct_triples_; }

 private:
  /// Counts of what stands in a place.
  struct Place {
    std::int64_t total = 0;
    std::int64_t most = 0;       ///< the count of the likeliest
    std::int64_t likeliest = 0;  ///< the first that was counted so often
    std::unordered_map<std::int64_t, std::int64_t> tokens;
  };
  std::int64_t key(std::int64_t left, std::int64_t right) const {
    return (left + 1) * (vocab_size_ + 1) + right + 1;
  }

  std::int64_t vocab_size_;
  std::int64_t distinct_triples_ = 0;
  std::unordered_map<std::int64_t, Place> places_;
};

}  // namespace zoo
