#include "text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <utf8proc.h>

#include "core/errors.h"

namespace zoo {

std::vector<char32_t> decode_utf8(std::string_view text, const std::string& source) {
  std::vector<char32_t> code_points;
  code_points.reserve(text.size());
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  for (utf8proc_ssize_t at = 0; at < size;) {
    if (bytes[at] < 0x80) {
      code_points.push_back(bytes[at++]);
      continue;
    }
    utf8proc_int32_t code_point = 0;
    const auto length = utf8proc_iterate(bytes + at, size - at, &code_point);
    if (length <= 0) refuse_utf8(source, at);
    code_points.push_back(static_cast<char32_t>(code_point));
    at += length;
  }
  return code_points;
}

std::size_t valid_utf8_prefix(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  utf8proc_ssize_t at = 0;
  while (at < size) {
    utf8proc_int32_t code_point = 0;
    const auto length = bytes[at] < 0x80 ? 1 : utf8proc_iterate(bytes + at, size - at, &code_point);
    if (length <= 0) break;
    at += length;
  }
  return static_cast<std::size_t>(at);
}

void refuse_utf8(const std::string& source, std::int64_t offset) {
  throw UserError(
      text_of(source, ": not UTF-8 at byte offset ", offset, "; save it with the encoding UTF-8"));
}

namespace {

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

}  // namespace

std::int64_t count_characters(std::string_view text) {
  return std::count_if(text.begin(), text.end(), starts_character);
}

std::string_view after_characters(std::string_view text, std::int64_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (starts_character(text[at]) && count-- == 0) break;
  }
  return text.substr(at);
}

void append_utf8(std::string& text, char32_t code_point) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  text.append(reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length));
}

std::string shown(char32_t code_point) {
  std::array<char, 16> number{};
  std::snprintf(number.data(), number.size(), "U+%04X", static_cast<unsigned>(code_point));
  const auto category = utf8proc_category(static_cast<utf8proc_int32_t>(code_point));
  const bool visible = category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_SO &&
                       (category < UTF8PROC_CATEGORY_MN || category > UTF8PROC_CATEGORY_ME);
  if (!visible) return number.data();
  std::string text = "\"";
  append_utf8(text, code_point);
  return text + "\" (" + number.data() + ")";
}

}  // namespace zoo
