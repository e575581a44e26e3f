#include "tests/fuzz/fuzz_target.h"
#include "text/pair_files.h"

namespace zoo {
namespace {

void expect_pairs(const PairLines& lines, std::string_view bytes) {
  std::size_t size = 0;
  for (const auto& pair : lines.pairs) {
    expect(!pair.source.empty() && !pair.target.empty(), "no side of a pair is empty");
    expect(pair.number > 0, "lines are counted from 1");
    size += pair.source.size() + pair.target.size();
  }
  expect(size <= 2 * bytes.size(), "pairs are parts of the text");
}

}  // namespace

/// A byte for the columns and the header, then a table; or two parallel texts with a NUL between.
void fuzz_one(std::string_view bytes) {
  if (bytes.empty()) return;
  const auto flags = static_cast<unsigned char>(bytes.front());
  bytes.remove_prefix(1);
  TableColumns columns;
  columns.source = 1 + flags % 4;
  columns.target = 1 + flags / 4 % 4;
  columns.header = flags / 16 % 2 == 1;
  const auto end = bytes.find('\0');
  if (end == std::string_view::npos) {
    expect_pairs(read_table(bytes, "pairs.tsv", columns), bytes);
  } else {
    expect_pairs(
        read_parallel(bytes.substr(0, end), "a.en", bytes.substr(end + 1), "a.tr", columns), bytes);
  }
}

}  // namespace zoo
