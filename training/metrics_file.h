#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/files.h"
#include "training/trainer.h"

namespace zoo {

inline constexpr const char* kMetricsFile = "metrics.jsonl";

/// RUN/metrics.jsonl: one JSON object a line, of kind "train", "evaluation" or "sample". An
/// infinite loss is null.
class MetricsFile : public TrainingObserver {
 public:
  /// Keeps the lines of what was done by `progress`, so that a resumed run repeats none, and
  /// drops a torn one.
  MetricsFile(const std::filesystem::path& path, const Progress& progress);

  void on_report(const Progress& progress, const Report& report) override;
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;
  void write_samples(const Progress& progress, const std::vector<std::string>& texts);

 private:
  void write(const nlohmann::json& line);

  GrowingFile file_;
};

}  // namespace zoo
