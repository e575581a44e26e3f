#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// Number of insertions, deletions, substitutions and swaps of neighbours between two byte strings
/// (restricted Damerau-Levenshtein distance).
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The known name nearest to `name`, or "" when none is near enough to be a likely slip.
std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "; did you mean NEAREST?" or "", to be appended to a message.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& known);

/// The parts with the separator between them.
std::string join(const std::vector<std::string>& parts, std::string_view separator);

}  // namespace zoo
