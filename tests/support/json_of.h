#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace zoo {

/// What a call of the program prints as JSON; it has to succeed.
inline nlohmann::json json_of(const std::vector<std::string>& arguments) {
  const auto result = run_zoo(arguments);
  INFO(result.error);
  REQUIRE(result.code == 0);
  return nlohmann::json::parse(result.out);
}

}  // namespace zoo
