#include <nlohmann/json.hpp>

#include "core/json_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace zoo {

void fuzz_one(std::string_view bytes) {
  const auto json = parse_json(bytes, "config.json");
  expect(parse_json(json.dump(), "again") == json, "what was parsed can be written and parsed");
}

}  // namespace zoo
