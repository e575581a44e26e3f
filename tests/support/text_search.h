#pragma once

#include <string>
#include <string_view>

#include "tests/support/catch.h"

namespace zoo {

/// How often a part stands in a text.
inline std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

/// What stands between the first `before` and the next `after`. Fails the test where there is no
/// `before`.
inline std::string between(const std::string& text, const std::string& before,
                           const std::string& after) {
  const auto found = text.find(before);
  REQUIRE(found != text.npos);
  const auto start = found + before.size();
  return text.substr(start, text.find(after, start) - start);
}

}  // namespace zoo
