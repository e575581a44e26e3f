#include "text/display_columns.h"

#include <algorithm>

#include <utf8proc.h>

namespace zoo {
namespace {

struct Glyph {
  std::size_t bytes;
  std::int64_t columns;
};

/// What `text` starts with; a byte that is no UTF-8 is shown as one mark.
Glyph first_glyph(std::string_view text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  utf8proc_int32_t code_point = 0;
  const auto length =
      utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size()), &code_point);
  if (length <= 0) return {1, 1};
  return {static_cast<std::size_t>(length), utf8proc_charwidth(code_point)};
}

}  // namespace

std::int64_t display_columns(std::string_view text) {
  std::int64_t columns = 0;
  while (!text.empty()) {
    const auto glyph = first_glyph(text);
    columns += glyph.columns;
    text.remove_prefix(glyph.bytes);
  }
  return columns;
}

std::string_view within_columns(std::string_view text, std::int64_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    const auto glyph = first_glyph(text.substr(end));
    if (glyph.columns > columns) break;
    columns -= glyph.columns;
    end += glyph.bytes;
  }
  return text.substr(0, end);
}

}  // namespace zoo
