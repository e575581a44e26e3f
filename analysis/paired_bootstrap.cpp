#include "analysis/paired_bootstrap.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <stdexcept>

#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::size_t kDraws = 2000;
constexpr double kTail = 0.025;

}  // namespace

double ExampleScores::score() const {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

Interval paired_bootstrap(const ExampleScores& a, const ExampleScores& b, std::uint64_t seed) {
  const auto count = a.values.size();
  require<std::invalid_argument>(count > 0 && b.values.size() == count &&
                                     a.weights.size() == count && b.weights.size() == count,
                                 "paired_bootstrap: the examples differ");
  std::mt19937_64 generator(seed);
  std::vector<double> differences(kDraws);
  for (auto& difference : differences) {
    double a_value = 0.0, a_weight = 0.0, b_value = 0.0, b_weight = 0.0;
    for (std::size_t i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(generator() % count);
      a_value += a.values[at];
      a_weight += a.weights[at];
      b_value += b.values[at];
      b_weight += b.weights[at];
    }
    difference = a_value / a_weight - b_value / b_weight;
  }
  std::sort(differences.begin(), differences.end());
  const auto at = [&](double share) {
    return differences[static_cast<std::size_t>(share * static_cast<double>(kDraws - 1))];
  };
  return {at(kTail), at(1.0 - kTail)};
}

}  // namespace zoo
