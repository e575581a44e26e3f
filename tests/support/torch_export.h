#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "inference/export/export.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"

namespace zoo {

/// A tiny model that has learned its task a little, and its export.
struct Exported {
  Exported(const TemporaryFolder& folder, const Architecture& row, const std::string& task,
           const std::vector<std::string>& settings = {})
      : raw(tiny_config(folder / (row.name + "-" + task), row, settings, task)),
        experiment(make_tiny_experiment(raw)),
        file(folder / (row.name + "-" + task) / "model.pt") {
    train_tiny(file.parent_path() / "run", experiment, 12);
    raw.document = experiment.config.to_json();
    report = export_torchscript(trained_model(experiment), {raw, 12, "0123"}, file);
  }

  Run open() const { return open_export(file, "cpu", {}); }

  RawConfig raw;
  Experiment experiment;
  std::filesystem::path file;
  ExportReport report;
};

}  // namespace zoo
