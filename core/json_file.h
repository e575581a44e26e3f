#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// Parses JSON that people write: `//` and `/* */` comments are accepted, a key given twice and
/// more than 100 levels are not. `source` names the text in messages. Throws UserError with the
/// line and column of the mistake.
nlohmann::json parse_json(std::string_view text, const std::string& source);

/// Reads and parses a file; throws UserError when it cannot be read or is not JSON.
nlohmann::json read_json_file(const std::filesystem::path& path);

}  // namespace zoo
