#pragma once

#include <filesystem>
#include <string>

#include <torch/types.h>

#include "training/checkpoint.h"
#include "training/optimizer.h"
#include "training/trainer.h"
#include "training/vocabulary.h"

namespace zoo {

/// What of a run goes into a checkpoint; nothing is owned.
struct CheckpointParts {
  const Model& model;
  const Optimizer* optimizer = nullptr;  ///< none for a model that counts
  Vocabulary vocabulary;
  torch::Device device = torch::kCPU;
};

/// Saves at every evaluation (or every `save_every` steps) and when training ends; keeps the newest
/// and the best.
class CheckpointObserver : public TrainingObserver {
 public:
  CheckpointObserver(std::filesystem::path run, CheckpointParts parts, std::string identity,
                     const TrainingOptions& options);

  void on_step(const Progress& progress) override;
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;
  void on_finish(const Progress& progress, StopReason reason) override;

 private:
  void save(const Progress& progress);

  std::filesystem::path run_;
  CheckpointParts parts_;
  std::string identity_;
  TrainingOptions options_;
  std::int64_t saved_step_ = -1;
};

/// Puts a checkpoint back into the model, the optimizer (if any) and the random states, and returns
/// where the run stood. Throws UserError naming the file that does not fit.
Progress restore_checkpoint(const Checkpoint& checkpoint, Model& model, Optimizer* optimizer,
                            torch::Device device);

/// Puts only the weights back.
void restore_model(const Checkpoint& checkpoint, Model& model);

}  // namespace zoo
