#include "tests/fuzz/fuzz_target.h"
#include "text/character_at.h"
#include "text/utf8.h"

namespace zoo {

void fuzz_one(std::string_view bytes) {
  const auto valid = valid_utf8_prefix(bytes);
  expect(valid <= bytes.size(), "a prefix is no longer than the text");
  std::size_t offset = 0;
  while (offset < bytes.size()) {
    const auto character = character_at(bytes, offset);
    expect(character.size > 0 && character.size <= bytes.size() - offset, "a character is a part");
    expect(character.code_point != kNoCharacter || offset >= valid,
           "the prefix has characters only");
    offset += character.size;
  }
  const auto prefix = bytes.substr(0, valid);
  const auto code_points = decode_utf8(prefix, "text");
  std::string again;
  for (const auto code_point : code_points) {
    append_utf8(again, code_point);
    expect(!shown(code_point).empty(), "every character can be shown");
  }
  expect(again == prefix, "decoding and encoding give the text back");
  const auto count = count_characters(prefix);
  expect(count == static_cast<std::int64_t>(code_points.size()), "counting agrees with decoding");
  expect(after_characters(prefix, count).empty(), "nothing is after the last character");
  decode_utf8(bytes, "text");
  expect(valid == bytes.size(), "what can be decoded is valid");
}

}  // namespace zoo
