#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analysis/image_audit.h"
#include "analysis/text_audit.h"

namespace zoo {

/// An audit as one object, with everything that it counted and its findings.
nlohmann::json audit_json(const TextAudit& audit);
nlohmann::json audit_json(const ImageAudit& audit);

}  // namespace zoo
