#include "text/character_at.h"

#include <utf8proc.h>

namespace zoo {

CharacterAt character_at(std::string_view text, std::size_t offset) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data()) + offset;
  if (*bytes < 0x80) return {*bytes, 1};
  utf8proc_int32_t code_point = 0;
  const auto size =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - offset), &code_point);
  if (size <= 0) return {kNoCharacter, 1};
  return {static_cast<char32_t>(code_point), static_cast<std::size_t>(size)};
}

}  // namespace zoo
