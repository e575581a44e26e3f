#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace zoo {

/// What a fuzz target does with bytes from anywhere. A UserError is an answer; anything else that
/// is thrown, and whatever the sanitizers see, is a finding.
void fuzz_one(std::string_view bytes);

/// A property that holds for whatever was read without an error.
inline void expect(bool holds, const std::string& property) {
  if (!holds) throw std::logic_error("broken property: " + property);
}

}  // namespace zoo
