#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// Bytes of a file that is read as a tokenizer.
constexpr std::size_t kLargestTokenizerFile = std::size_t{64} << 20;

/// Parses JSON from anywhere. Throws UserError naming `source`: too large, nested too deep, too
/// many keys, or not JSON.
nlohmann::json parse_bounded_json(std::string_view bytes, const std::string& source);

/// The tokenizer of a tokenizer.json's bytes, whatever they are; throws UserError naming `source`.
std::shared_ptr<const Tokenizer> parse_tokenizer(std::string_view bytes, const std::string& source);

/// As tokenizer_from_json, but boundary and separator are these instead of those of its template.
/// Throws UserError for a role whose token it does not have, padding excepted (see load_tokenizer).
std::shared_ptr<const Tokenizer> tokenizer_with_roles(const nlohmann::json& json,
                                                      const TokenRoles& roles,
                                                      const std::string& source);

}  // namespace zoo
