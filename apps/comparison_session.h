#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/comparison_results.h"
#include "core/files.h"

namespace zoo {

/// One problem of a comparison in its folder: the plan, runs that are `zoo train` processes of
/// their own, and what they came to. What is there already is used and not made again.
class ComparisonSession {
 public:
  /// Locks the folder and makes the plan, or reads it. Throws UserError for a plan that was made
  /// for something else, and for a budget that cannot be met.
  ComparisonSession(const Comparison& comparison, const Problem& problem,
                    std::filesystem::path folder);

  std::size_t size() const { return runs_.size(); }

  /// Trains what is not finished yet and tells it on stderr, the first as number `first` of `all`.
  /// Returns whether a stop was asked for.
  bool train(std::size_t first, std::size_t all);

  /// What all runs came to; what needs no training is taken over from an earlier problem with the
  /// same data.
  ComparisonResults judge(const std::vector<ComparisonResults>& earlier) const;

  /// Seconds that the runs made by this object took.
  double seconds_in_runs() const { return seconds_in_runs_; }
  /// Runs that ended with an error, by their folders' names.
  const std::vector<std::string>& failed() const { return failed_; }
  std::filesystem::path logs() const { return folder_ / "logs"; }

 private:
  void read_plan(const std::filesystem::path& file, const std::string& identity);
  void make_plan(const std::filesystem::path& file, const std::string& identity);
  double milliseconds_of_step(const Contender& contender,
                              const std::vector<std::string>& settings) const;
  std::vector<std::string> train_arguments(const PlannedRun& run) const;
  std::vector<Difference> differences(const ComparisonResults& results) const;
  std::vector<Reference> references(const std::vector<ComparisonResults>& earlier) const;

  const Comparison& comparison_;
  const Problem& problem_;
  std::filesystem::path folder_;
  std::optional<FolderLock> lock_;
  std::vector<PlannedContender> plans_;  // of the problem's contenders
  std::vector<PlannedRun> runs_;
  nlohmann::json measured_ = nlohmann::json::object();  // peak bytes of each run
  double seconds_in_runs_ = 0.0;
  std::vector<std::string> failed_;
};

}  // namespace zoo
