#include <filesystem>
#include <fstream>

#include "tests/fuzz/json_mutator.h"
#include "tests/fuzz/tokenizer_checks.h"
#include "tests/support/temporary_folder.h"
#include "text/tokenizers/tokenizer_files.h"

namespace zoo {
namespace {

std::filesystem::path written(const std::string& name, std::string_view bytes) {
  static const TemporaryFolder folder;
  std::ofstream(folder / name, std::ios::binary) << bytes;
  return folder / name;
}

}  // namespace

/// vocab.json, a NUL, and merges.txt; or vocab.txt where there is no NUL.
void fuzz_one(std::string_view bytes) {
  const auto end = bytes.find('\0');
  std::filesystem::path path;
  if (end == std::string_view::npos) {
    path = written("vocab.txt", bytes);
  } else {
    path = written("vocab.json", bytes.substr(0, end));
    written("merges.txt", bytes.substr(end + 1));
  }
  const auto file = read_tokenizer_file(path);
  check_tokenizer(tokenizer_from_json(file.json, file.source), bytes);
}

}  // namespace zoo

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  return zoo::mutate_json_head(data, size, max_size, seed);
}
