#pragma once

#include <string>
#include <string_view>

namespace zoo {

/// SHA-256 of the bytes, as 64 lower-case hexadecimal digits.
std::string sha256(std::string_view bytes);

/// Two lower-case hexadecimal digits a byte.
std::string to_hex(std::string_view bytes);

/// The inverse of to_hex. Throws UserError when `text` is not pairs of hexadecimal digits.
std::string from_hex(std::string_view text);

}  // namespace zoo
