#include "core/random.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "tests/support/catch.h"

namespace zoo {

TEST_CASE("random_order is a permutation") {
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
    auto order = random_order(count, 3);
    std::vector<std::int64_t> expected(static_cast<std::size_t>(count));
    std::iota(expected.begin(), expected.end(), 0);
    std::sort(order.begin(), order.end());
    CHECK(order == expected);
  }
}

TEST_CASE("random_order is fixed by the seed, on every machine") {
  CHECK(random_order(10, 1) == std::vector<std::int64_t>{1, 7, 3, 9, 4, 0, 5, 2, 6, 8});
  CHECK(random_order(10, 1) != random_order(10, 2));
}

TEST_CASE("random_order puts each item at each place about equally often") {
  constexpr int kRounds = 6000;
  int counts[6][6] = {};
  for (std::uint64_t seed = 0; seed < kRounds; ++seed) {
    const auto order = random_order(6, seed);
    for (std::size_t i = 0; i < order.size(); ++i) ++counts[i][order[i]];
  }
  for (const auto& row : counts) {
    for (const int count : row) {
      CHECK(count > 850);  // 1000 expected, standard deviation 29
      CHECK(count < 1150);
    }
  }
}

TEST_CASE("random_below stays below its bound and reaches every value") {
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) seen.insert(random_below(seed, 5));
  CHECK(seen == std::set<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(random_below(9, 1) == 0);
}

TEST_CASE("mixed_seed is SplitMix64 and tells purposes and seeds apart") {
  CHECK(mixed_seed(0, 0) == 0xE220A8397B1DCDAFULL);  // first output of SplitMix64 from 0
  CHECK(mixed_seed(0, 1) == 0x6E789E6AA1B965F4ULL);  // the second
  std::set<std::uint64_t> seeds;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    for (std::uint64_t purpose = 0; purpose < 30; ++purpose) {
      seeds.insert(mixed_seed(seed, purpose));
    }
  }
  CHECK(seeds.size() == 900);
}

}  // namespace zoo
