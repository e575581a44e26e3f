#pragma once

#include <string>
#include <string_view>

namespace zoo {

/// Whether the text is valid UTF-8 without control characters, so that it can be shown and written
/// anywhere.
bool is_plain_text(std::string_view text);

/// A label without the spaces around it. Throws UserError, beginning with `place`, for one that is
/// empty or is no plain text.
std::string label_text(std::string_view raw, const std::string& place);

}  // namespace zoo
