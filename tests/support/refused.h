#pragma once

#include <algorithm>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace zoo {

/// One line on stderr that holds the text, nothing on stdout, exit code 2.
inline void check_refused(const ProgramResult& result, const std::string& text) {
  INFO(result.error);
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  CHECK_THAT(result.error, ContainsSubstring(text));
  CHECK(result.error.starts_with("error: "));
  CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
}

}  // namespace zoo
