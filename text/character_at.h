#pragma once

#include <cstddef>
#include <string_view>

namespace zoo {

/// One character of UTF-8 text and the number of bytes that it takes.
struct CharacterAt {
  char32_t code_point = 0;
  std::size_t size = 0;
};

/// Stands for a byte that is not UTF-8; no character has this code point.
constexpr char32_t kNoCharacter = 0xFFFFFFFF;

/// The character that starts at a byte offset below the text's size. A byte that is not UTF-8 is a
/// character of its own, kNoCharacter.
CharacterAt character_at(std::string_view text, std::size_t offset);

}  // namespace zoo
