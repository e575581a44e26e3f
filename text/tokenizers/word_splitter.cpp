#include "text/tokenizers/word_splitter.h"

#include <array>

#include <utf8proc.h>

#include "text/character_at.h"

namespace zoo {
namespace {

enum class Kind : unsigned char { kLetter, kNumber, kSpace, kOther };

struct Character {
  Kind kind;
  std::size_t size;  // in bytes
};

constexpr auto kAsciiKinds = [] {
  std::array<Kind, 0x80> kinds{};
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    kinds[c] = letter                 ? Kind::kLetter
               : c >= '0' && c <= '9' ? Kind::kNumber
               : space                ? Kind::kSpace
                                      : Kind::kOther;
  }
  return kinds;
}();

/// Of a character outside ASCII; utf8proc gives kNoCharacter a category of its own. Unicode's
/// White_Space is the separators and a few controls, of which one is not ASCII.
Kind kind_of(char32_t code_point) {
  constexpr char32_t kNextLine = 0x85;
  if (code_point == kNextLine) return Kind::kSpace;
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  if (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO) return Kind::kLetter;
  if (category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO) return Kind::kNumber;
  if (category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP) return Kind::kSpace;
  return Kind::kOther;
}

Character read(std::string_view text, std::size_t offset) {
  const auto byte = static_cast<unsigned char>(text[offset]);
  if (byte < kAsciiKinds.size()) return {kAsciiKinds[byte], 1};
  const auto [code_point, size] = character_at(text, offset);
  return {kind_of(code_point), size};
}

std::size_t end_of_run(std::string_view text, std::size_t offset, Kind kind) {
  while (offset < text.size()) {
    const auto character = read(text, offset);
    if (character.kind != kind) break;
    offset += character.size;
  }
  return offset;
}

/// The last space of a run belongs to what follows it, unless it is all there is.
std::size_t end_of_spaces(std::string_view text, std::size_t offset) {
  auto last = offset;
  auto end = offset;
  while (end < text.size()) {
    const auto character = read(text, end);
    if (character.kind != Kind::kSpace) break;
    last = end;
    end += character.size;
  }
  return end == text.size() || last == offset ? end : last;
}

/// The size of the English ending that the text starts with, or 0.
std::size_t ending_size(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    if (text.starts_with(ending)) return ending.size();
  }
  return 0;
}

}  // namespace

std::size_t gpt2_word_end(std::string_view text, std::size_t offset) {
  if (text[offset] == '\'') {
    if (const auto size = ending_size(text.substr(offset)); size > 0) return offset + size;
  }
  const auto start = text[offset] == ' ' && offset + 1 < text.size() ? offset + 1 : offset;
  const auto kind = read(text, start).kind;
  return kind == Kind::kSpace ? end_of_spaces(text, offset) : end_of_run(text, start, kind);
}

}  // namespace zoo
