#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace zoo {

/// Whether the bytes start as gzip data do.
bool is_gzip(std::string_view bytes);

/// What gzip data (RFC 1952), of one member or several, hold. Its memory grows with what was
/// decoded. Throws UserError: no gzip data, cut short, broken (checksums included), something else
/// behind its end, more than `most_bytes`.
std::string gunzip(std::string_view bytes, const std::string& source, std::size_t most_bytes);

}  // namespace zoo
