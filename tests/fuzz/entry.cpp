#include <cstddef>
#include <cstdint>

#include "core/errors.h"
#include "tests/fuzz/fuzz_target.h"

namespace {

/// Messages go to a terminal: one line, without anything that would move its cursor.
void expect_one_line(const std::string& message) {
  zoo::expect(!message.empty(), "a message says something");
  for (const char byte : message) {
    zoo::expect(static_cast<unsigned char>(byte) >= ' ',
                "a message has no control characters: " + message);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    zoo::fuzz_one({reinterpret_cast<const char*>(data), size});
  } catch (const zoo::UserError& error) {
    expect_one_line(error.what());
  }
  return 0;
}
