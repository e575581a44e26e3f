#pragma once

#include <string>

namespace zoo {

/// The program's version, as in the build files.
std::string version();

}  // namespace zoo
