#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

using CodePoints = std::vector<char32_t>;

/// Unicode's property White_Space.
bool is_white_space(char32_t code_point);

/// ASCII's punctuation or one of Unicode's categories P.
bool is_punctuation(char32_t code_point);

/// Category Mn: accents and other marks that take no room of their own.
bool is_nonspacing_mark(char32_t code_point);

/// Cc, Cf, Co or Cs: control, format, private use, surrogate.
bool is_control_or_private(char32_t code_point);

/// Unicode's normalization forms (UAX 15): NFD, or NFKD where `compatible`.
void decompose(CodePoints& text, bool compatible);

/// From NFD to NFC, or from NFKD to NFKC.
void compose(CodePoints& text);

/// Every character's full lower case by itself, as Rust's char::to_lowercase: no final sigma.
void lower_case(CodePoints& text);

/// The UTF-8 of code points.
std::string to_utf8(const CodePoints& text);

}  // namespace zoo
