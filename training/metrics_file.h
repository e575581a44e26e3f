#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "training/trainer.h"

namespace zoo {

/// RUN/metrics.jsonl: one JSON object a line, of kind "train", "evaluation" or "sample". An
/// infinite loss is null.
class MetricsFile : public TrainingObserver {
 public:
  /// Keeps the lines up to `progress.step`, so that a resumed run repeats none.
  MetricsFile(const std::filesystem::path& path, const Progress& progress);

  void on_report(const Progress& progress, const Report& report) override;
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;
  void write_samples(const Progress& progress, const std::vector<std::string>& texts);

 private:
  void write(const nlohmann::json& line);

  std::filesystem::path path_;
  std::ofstream file_;
};

}  // namespace zoo
