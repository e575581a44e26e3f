#include "core/random.h"

#include <numeric>
#include <random>
#include <utility>

namespace zoo {
namespace {

/// Uniform in [0, bound) without bias. std::uniform_int_distribution differs between libraries.
std::uint64_t below(std::mt19937_64& generator, std::uint64_t bound) {
  const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % bound;
  std::uint64_t value = generator();
  while (value >= limit) value = generator();
  return value % bound;
}

}  // namespace

std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t purpose) {
  std::uint64_t z = seed + (purpose + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

std::int64_t random_below(std::uint64_t seed, std::int64_t bound) {
  std::mt19937_64 generator(seed);
  return static_cast<std::int64_t>(below(generator, static_cast<std::uint64_t>(bound)));
}

std::vector<std::int64_t> random_order(std::int64_t count, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 generator(seed);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<std::size_t>(below(generator, i))]);
  }
  return order;
}

}  // namespace zoo
