#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// The placeholders of a message in sorted order: printf's (%s, %5.2f, %(name)s; the position in
/// %2$s is left out, as translations reorder by it; %% is none) and those in braces ({}, {0},
/// {name}, {0:>8}).
std::vector<std::string> placeholders_of(std::string_view text);

}  // namespace zoo
