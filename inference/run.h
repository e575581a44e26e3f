#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "models/model.h"
#include "training/checkpoint.h"
#include "training/config.h"
#include "training/experiment.h"
#include "training/vocabulary.h"

namespace zoo {

/// A run folder opened for use: its config, one checkpoint, and the model with those weights. The
/// folder alone is needed, wherever it was moved.
struct Run {
  std::filesystem::path folder;
  RawConfig raw;
  Config config;
  Checkpoint checkpoint;
  Vocabulary vocabulary;
  DataFacts facts;
  torch::Device device;
  std::shared_ptr<Model> model;
};

/// `checkpoint` is "best", "last" or "step-N"; `device` as in a config, "" for the run's own.
Run open_run(const std::filesystem::path& folder, const std::string& checkpoint,
             const std::string& device);

/// The run's data, checked to be what it was trained on, with its model in place.
Experiment experiment_of(const Run& run);

}  // namespace zoo
