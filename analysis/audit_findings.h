#pragma once

#include <string>
#include <vector>

#include "analysis/image_audit.h"
#include "analysis/text_audit.h"

namespace zoo {

/// What a careful user wants to be told about the data, one sentence each: what stands twice, in
/// two splits or nearly so, characters that are unknown or rare, classes that are missing or large.
std::vector<std::string> findings(const TextAudit& audit);
std::vector<std::string> findings(const ImageAudit& audit);

}  // namespace zoo
