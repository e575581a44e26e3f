#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// The code points of UTF-8 text. `source` names the text in messages. Throws UserError with the
/// byte offset of the first byte that is not UTF-8.
std::vector<char32_t> decode_utf8(std::string_view text, const std::string& source);

/// Appends one code point as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// How messages show a character: `"e" (U+0065)`; controls and spaces by code point alone.
std::string shown(char32_t code_point);

}  // namespace zoo
