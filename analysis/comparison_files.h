#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/comparison_results.h"

namespace zoo {

/// One object; of several problems one with the title and an object of each.
nlohmann::json to_json(const std::vector<ComparisonResults>& problems);
/// A line a run, with a heading.
std::string to_csv(const std::vector<ComparisonResults>& problems);
/// Tables for a document; of several problems first the matrices, then the tables of each.
std::string to_markdown(const std::vector<ComparisonResults>& problems);

}  // namespace zoo
