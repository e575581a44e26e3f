#pragma once

#include <cstdint>
#include <vector>

namespace zoo {

/// What a score is made of, an example at a time: the score is the sum of the values over the sum
/// of the weights.
struct ExampleScores {
  std::vector<double> values;
  std::vector<double> weights;

  double score() const;
};

/// An interval for a difference of two scores.
struct Interval {
  double low = 0.0;
  double high = 0.0;

  bool holds_zero() const { return low <= 0.0 && high >= 0.0; }
};

/// 95 % percentile interval of score(a) - score(b) over the examples, which both have in common
/// (Efron and Tibshirani, 1993, ch. 13; paired, so that what makes an example hard for both cancels
/// out): 2,000 draws of as many examples with replacement. The same seed gives the same interval.
/// Throws std::invalid_argument where a and b differ in their examples.
Interval paired_bootstrap(const ExampleScores& a, const ExampleScores& b, std::uint64_t seed);

}  // namespace zoo
