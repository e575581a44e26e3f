#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace zoo {

/// Examples that have something in common: how many, and where the first few stand.
struct FoundPlaces {
  std::int64_t count = 0;
  std::vector<std::string> first = {};  ///< "FILE, line 12 (val)"

  /// Counts one more.
  void add(std::string place) {
    constexpr std::size_t kFew = 5;
    ++count;
    if (first.size() < kFew) first.push_back(std::move(place));
  }
};

}  // namespace zoo
