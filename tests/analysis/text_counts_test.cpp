#include "analysis/text_counts.h"

#include <string>

#include "tests/support/catch.h"

namespace zoo {
namespace {

LengthCounts counted(const std::vector<std::int64_t>& lengths) {
  LengthCounts counts;
  for (const auto length : lengths) counts.add(length);
  return counts;
}

/// "a 2, b 1"
std::string text_of_counts(const CharacterCounts& counts) {
  std::string text;
  for (const auto& one : counts.rarest_first()) {
    text += (text.empty() ? "" : ", ") + std::string(1, static_cast<char>(one.character)) + " " +
            std::to_string(one.count);
  }
  return text;
}

}  // namespace

TEST_CASE("median and percentile are lengths that there are, by nearest rank") {
  const auto even = counted({4, 1, 3, 2}).lengths();
  CHECK(even.shortest == 1);
  CHECK(even.median == 2);
  CHECK(even.percentile_95 == 4);
  CHECK(even.longest == 4);
  CHECK(counted({4, 1, 3, 2, 9}).lengths().median == 3);
  std::vector<std::int64_t> hundred;
  for (std::int64_t i = 1; i <= 100; ++i) hundred.push_back(i);
  CHECK(counted(hundred).lengths().percentile_95 == 95);
  CHECK(counted(hundred).lengths().median == 50);
}

TEST_CASE("of equally long ones the first is the longest") {
  CHECK(counted({2, 5, 1, 5}).first_longest() == 1);
  CHECK(counted({0, 0}).first_longest() == 0);
  CHECK(counted({0, 0}).size() == 2);
  CHECK(counted({}).lengths().longest == 0);
}

TEST_CASE("characters are counted as code points, the rarest first, and where they came first") {
  CharacterCounts counts;
  CHECK(counts.add("baab", 0) == 4);
  CHECK(counts.add("aé", 7) == 2);
  const auto rarest = counts.rarest_first();
  REQUIRE(rarest.size() == 3);
  CHECK(rarest[0].character == U'é');
  CHECK(rarest[0].first == 7);
  CHECK(rarest[1].character == U'b');
  CHECK(rarest[1].count == 2);
  CHECK(rarest[2].count == 3);
  CHECK(rarest[2].first == 0);
}

TEST_CASE("alphabets are added and taken from each other") {
  CharacterCounts some, others;
  some.add("aab", 4);
  others.add("bc", 2);
  CHECK(text_of_counts(others.without(some)) == "c 1");
  CHECK(text_of_counts(some.without(some)).empty());
  some.add(others);
  CHECK(text_of_counts(some) == "c 1, a 2, b 2");
  CHECK(some.rarest_first()[2].first == 2);
}

}  // namespace zoo
