#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "analysis/comparison.h"

namespace zoo {

/// A contender as it will be trained: what the budget makes of it.
struct PlannedContender {
  std::string name;
  std::vector<std::string> settings;  ///< over the contender's own
  std::int64_t parameters = 0;        ///< tied ones once; of a table its counts are not known yet
  std::int64_t steps = 0;             ///< 0: as its config says, or none
  double flops_per_step = 0.0;        ///< forward and backward of a batch
  bool counts = false;                ///< a table that is counted in one pass
};

/// One `zoo train`.
struct PlannedRun {
  std::size_t contender = 0;
  std::int64_t seed = 0;
  std::filesystem::path folder;
};

/// Milliseconds of a training step of a config with these settings, tried out.
using StepTimer =
    std::function<double(const Contender& contender, const std::vector<std::string>& settings)>;

/// Fits a contender to the budget: first its width to the parameters, then its steps. Throws
/// UserError for a budget that it cannot meet, naming the nearest.
PlannedContender planned(const Contender& contender, const Budget& budget, const StepTimer& time);

/// The runs of all contenders of a problem and seeds, below `folder`, seed after seed.
std::vector<PlannedRun> planned_runs(const Problem& problem, const std::vector<std::int64_t>& seeds,
                                     const std::filesystem::path& folder);

nlohmann::json to_json(const PlannedContender& planned);
/// The inverse. Throws UserError naming `source`.
PlannedContender planned_from_json(const nlohmann::json& json, const std::string& source);

}  // namespace zoo
