#pragma once

#include <cstdint>
#include <vector>

namespace zoo {

/// A seed for one purpose, from the run's seed and what distinguishes the purpose (epoch, split,
/// ...): the same numbers always give the same seed, neighbouring numbers unrelated ones
/// (SplitMix64).
std::uint64_t mixed_seed(std::uint64_t seed, std::uint64_t purpose);

/// A whole number in [0, bound) from a seed; bound > 0.
std::int64_t random_below(std::uint64_t seed, std::int64_t bound);

/// A random order of 0 .. count-1: a function of the seed alone, on every machine.
std::vector<std::int64_t> random_order(std::int64_t count, std::uint64_t seed);

}  // namespace zoo
