#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/tokenizer_checks.h"
#include "text/tokenizers/tokenizer_json.h"

namespace zoo {

/// The bytes of a tokenizer.json; what stands after a NUL is a text to encode.
void fuzz_one(std::string_view bytes) {
  const auto end = bytes.find('\0');
  const auto json = bytes.substr(0, end);
  check_tokenizer(parse_tokenizer(json, "tokenizer.json"),
                  end == std::string_view::npos ? "" : bytes.substr(end + 1));
}

}  // namespace zoo

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return zoo::mutate_json_head(data, size, max_size, seed);
}
