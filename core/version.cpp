#include "core/version.h"

namespace zoo {

std::string version() { return ZOO_VERSION; }

}  // namespace zoo
