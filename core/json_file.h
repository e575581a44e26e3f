#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// How large a document may be. In memory a value takes some ten times its text.
struct JsonLimits {
  std::size_t bytes = std::size_t{8} << 20;
  std::size_t values = std::size_t{1} << 17;  ///< arrays and objects included
  std::size_t levels = 100;  ///< copying, comparing and writing take stack for each
};

/// Parses JSON that people write: `//` and `/* */` comments are accepted, a key given twice and
/// what is beyond the limits are not. `source` names the text in messages. Throws UserError with
/// the line and column of the mistake.
nlohmann::json parse_json(std::string_view text, const std::string& source,
                          const JsonLimits& limits = {});

/// Reads and parses a file within the limits; throws UserError when it cannot be read or is not
/// JSON.
nlohmann::json read_json_file(const std::filesystem::path& path);

/// Throws UserError for JSON in which a string, a number or what is between them is longer: a
/// parser holds each several times over, and quotes it in its complaints.
void require_short_tokens(std::string_view text, const std::string& source,
                          std::size_t most_bytes = std::size_t{1} << 20);

}  // namespace zoo
