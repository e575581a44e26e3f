#include "text/tokenizers/byte_alphabet.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "text/character_at.h"

namespace zoo {
namespace {

constexpr std::size_t kBytes = 256;

/// Bytes that are visible in Latin-1 keep their code point, which is below this one; the others
/// follow from here in their own order.
constexpr std::size_t kFirstOfOthers = 0x100;

constexpr bool keeps_code_point(std::size_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
}

/// The code point of each byte.
constexpr auto kCodePoints = [] {
  std::array<std::size_t, kBytes> code_points{};
  std::size_t next = kFirstOfOthers;
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    code_points[byte] = keeps_code_point(byte) ? byte : next++;
  }
  return code_points;
}();

/// The byte of each code point, or -1.
constexpr auto kByteOf = [] {
  std::array<int, 2 * kBytes> byte_of{};
  byte_of.fill(-1);
  for (std::size_t byte = 0; byte < kBytes; ++byte) {
    byte_of[kCodePoints[byte]] = static_cast<int>(byte);
  }
  return byte_of;
}();

/// Every code point is below 0x800 and so takes two bytes of UTF-8 at most.
void append(std::string& text, std::size_t code_point) {
  if (code_point < 0x80) {
    text += static_cast<char>(code_point);
    return;
  }
  text += static_cast<char>(0xC0 | (code_point >> 6));
  text += static_cast<char>(0x80 | (code_point & 0x3F));
}

}  // namespace

std::string to_byte_alphabet(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const auto byte : bytes) append(text, kCodePoints[static_cast<unsigned char>(byte)]);
  return text;
}

std::string from_byte_alphabet(std::string_view token) {
  std::string bytes;
  bytes.reserve(token.size());
  for (std::size_t at = 0; at < token.size();) {
    const auto [code_point, size] = character_at(token, at);
    const int byte = code_point < kByteOf.size() ? kByteOf[code_point] : -1;
    if (byte < 0) return std::string(token);
    bytes += static_cast<char>(byte);
    at += size;
  }
  return bytes;
}

std::vector<std::string> byte_alphabet() {
  auto code_points = kCodePoints;
  std::sort(code_points.begin(), code_points.end());
  std::vector<std::string> characters(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) append(characters[i], code_points[i]);
  return characters;
}

}  // namespace zoo
