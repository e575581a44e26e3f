#pragma once

#include <cstdint>
#include <string_view>

namespace zoo {

/// Columns that a terminal gives to UTF-8 text: two to a wide character, none to a combining mark
/// or a control character.
std::int64_t display_columns(std::string_view text);

/// The longest beginning of the text that takes at most so many columns.
std::string_view within_columns(std::string_view text, std::int64_t columns);

}  // namespace zoo
