#include "vision/formats/label_text.h"

#include "core/errors.h"

namespace zoo {
namespace {

/// Bytes of the UTF-8 sequence that begins with this byte; 0: none does.
std::size_t sequence_size(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;
  return lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
}

/// Whether the second byte makes, with the first, no overlong form, surrogate or code point beyond
/// the last one; nor a control character of two bytes.
bool is_second(unsigned char lead, unsigned char second) {
  const unsigned char low = lead == 0xC2 || lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  return second >= low && second <= high;
}

}  // namespace

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const auto size = sequence_size(byte(0));
    if (size == 0 || size > text.size()) return false;
    if (size == 1 && (byte(0) < ' ' || byte(0) == 0x7F)) return false;
    if (size > 1 && !is_second(byte(0), byte(1))) return false;
    for (std::size_t i = 2; i < size; ++i) {
      if ((byte(i) & 0xC0) != 0x80) return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

std::string label_text(std::string_view raw, const std::string& place) {
  const auto begin = raw.find_first_not_of(" \t");
  require<UserError>(begin != std::string_view::npos, place,
                     ": the label is empty; fill it in, or remove it");
  const auto label = raw.substr(begin, raw.find_last_not_of(" \t") + 1 - begin);
  require<UserError>(is_plain_text(label), place,
                     ": the label is not UTF-8, or has control characters; write it in plain text");
  return std::string(label);
}

}  // namespace zoo
