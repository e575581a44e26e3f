#include "core/plain_text.h"

#include <nlohmann/json.hpp>

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

/// Bytes of the character that the text begins with; 0: a control character, or no UTF-8.
std::size_t plain_size(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const auto size = sequence_size(byte(0));
  if (size == 0 || size > text.size()) return 0;
  if (size == 1 && (byte(0) < ' ' || byte(0) == 0x7F)) return 0;
  if (size > 1 && !is_second(byte(0), byte(1))) return 0;
  for (std::size_t i = 2; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const auto size = plain_size(text);
    const auto byte = static_cast<unsigned char>(text.front());
    if (size > 0) {
      shown += text.substr(0, size);
    } else if (byte == '\n') {
      shown += "\\n";
    } else {
      shown += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 0xF]};
    }
    text.remove_prefix(size > 0 ? size : 1);
  }
  return shown;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

}  // namespace

bool is_plain_text(std::string_view text) {
  while (!text.empty()) {
    const auto size = plain_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string shown_text(std::string_view text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return escaped(text);
  auto head = most_bytes / 2, tail = text.size() - most_bytes / 2;
  while (head > 0 && continues(text[head])) --head;
  while (tail < text.size() && continues(text[tail])) ++tail;
  return escaped(text.substr(0, head)) + "..." + escaped(text.substr(tail));
}

std::string shown_json(const nlohmann::json& value) {
  if (value.is_structured() && !value.empty()) return value.is_object() ? "an object" : "an array";
  return shown_text(value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace zoo
