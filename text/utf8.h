#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// The code points of UTF-8 text. `source` names the text in messages. Throws UserError with the
/// byte offset of the first byte that is not UTF-8.
std::vector<char32_t> decode_utf8(std::string_view text, const std::string& source);

/// Bytes of the longest prefix that is UTF-8; a character that is cut off at the end is not.
std::size_t valid_utf8_prefix(std::string_view text);

/// Throws UserError: `source` is not UTF-8 at a byte offset.
[[noreturn]] void refuse_utf8(const std::string& source, std::int64_t offset);

/// Characters (code points) of UTF-8 text.
std::int64_t count_characters(std::string_view text);

/// The text without its first `count` characters.
std::string_view after_characters(std::string_view text, std::int64_t count);

/// Appends one code point as UTF-8.
void append_utf8(std::string& text, char32_t code_point);

/// How messages show a character: `"e" (U+0065)`; controls and spaces by code point alone.
std::string shown(char32_t code_point);

}  // namespace zoo
