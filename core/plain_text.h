#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// Whether the text is valid UTF-8 without control characters, so that it can be shown and written
/// anywhere.
bool is_plain_text(std::string_view text);

/// Text from anywhere as a message shows it: on one line, what is no plain text escaped (\n, \x1b),
/// and without its middle where it is longer than so many bytes.
std::string shown_text(std::string_view text, std::size_t most_bytes = 100);

/// JSON as a message shows it: cut as text is; of an array or an object that holds something, only
/// that it is one.
std::string shown_json(const nlohmann::json& value);

}  // namespace zoo
