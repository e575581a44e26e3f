#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace zoo {

/// A label without the spaces around it. Throws UserError, beginning with `place`, for one that is
/// empty or is no plain text.
std::string label_text(std::string_view raw, const std::string& place);

/// The same, its place put into words only where there is something to complain about.
std::string label_text(std::string_view raw, const std::function<std::string()>& place);

}  // namespace zoo
