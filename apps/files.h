#pragma once

#include <filesystem>
#include <string>

namespace zoo {

/// A config file as named, or, where there is none, below the installed <prefix>/share/zoo. Throws
/// UserError when it is in neither place.
std::filesystem::path find_config(const std::string& name);

}  // namespace zoo
