#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/comparison_plan.h"
#include "analysis/example_scores.h"

namespace zoo {

/// What one run of a comparison came to.
struct RunResult {
  std::filesystem::path folder;
  std::int64_t seed = 0;
  ExampleScores best;                  ///< of the best checkpoint
  double last_score = 0.0;             ///< of the last checkpoint
  std::int64_t parameters = 0;         ///< tied ones once; of a counted table its counts
  std::vector<double> gradient_reach;  ///< by distance; empty: not measured
  std::int64_t steps = 0;
  double seconds = 0.0;            ///< evaluations included
  double step_milliseconds = 0.0;  ///< of an update; 0: of a counted table
  double tokens_per_second = 0.0;
  std::int64_t peak_bytes = 0;  ///< of its process; 0: not known
};

/// A contender over its seeds.
struct ContenderResult {
  PlannedContender plan;
  std::vector<RunResult> runs;
  double mean = 0.0;       ///< of the best checkpoints' scores
  double deviation = 0.0;  ///< their sample standard deviation; 0 of a single seed
  double last_mean = 0.0;  ///< of the last checkpoints' scores
  /// 95 % of its difference to the best contender over the examples; none of that one itself, and
  /// where the examples are others.
  std::optional<Interval> behind;
};

/// What needs no training.
struct Reference {
  std::string name;
  double score = 0.0;
};

/// Values of an option in which the contenders differ.
struct Difference {
  std::string key;
  std::vector<std::string> values;  ///< of each contender; "" where it has no such option
};

/// What the contenders came to on one problem.
struct ComparisonResults {
  std::string title;
  std::string problem;  ///< empty where the comparison has only one
  std::string split;
  Yardstick yardstick;
  std::vector<ContenderResult> contenders;  ///< those with a finished run, the best first
  std::vector<Reference> references;
  std::vector<Difference> differences;  ///< in the order of `contenders`
};

/// Opens a finished run and judges it; `with_reach`: how far back its gradients reach as well.
RunResult judged_run(const PlannedRun& run, const std::string& split, bool with_reach);

/// What counting and compressing are worth on the same split: of language models 1- to 6-grams
/// with Kneser-Ney smoothing and, in bits per character, gzip and xz, which are given train before;
/// of classes the baselines of `zoo eval`.
std::vector<Reference> references_of(const Experiment& experiment, const std::string& split);

/// Whether that would be the same of both configs.
bool have_same_references(const Config& a, const Config& b);

/// Means, deviations and paired intervals of contenders, the best first.
void rank(ComparisonResults& results);

/// The options in which the contenders' configs differ.
std::vector<Difference> differences_of(const std::vector<const Contender*>& contenders,
                                       const std::vector<const PlannedContender*>& plans);

/// The mean of a figure over a contender's runs.
template <class Value>
double mean_of(const ContenderResult& contender, Value RunResult::*value) {
  double sum = 0.0;
  for (const auto& run : contender.runs) sum += static_cast<double>(run.*value);
  return sum / static_cast<double>(contender.runs.size());
}

/// FLOPs of a contender's training; 0 of a counted table.
double training_flops(const ContenderResult& contender);

}  // namespace zoo
