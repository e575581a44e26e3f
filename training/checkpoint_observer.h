#pragma once

#include <filesystem>
#include <string>
#include <vector>

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
/// and the best. An error says what is saved.
class CheckpointObserver : public TrainingObserver {
 public:
  CheckpointObserver(std::filesystem::path run, CheckpointParts parts, std::string identity,
                     const TrainingOptions& options);

  /// The run goes on from a checkpoint: clears what a kill left, and moves the links that it or a
  /// newer checkpoint that is not whole left elsewhere.
  void go_on_from(const Checkpoint& checkpoint, const Progress& progress);

  void on_step(const Progress& progress) override;
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;
  void on_finish(const Progress& progress, StopReason reason) override;

 private:
  void keep(const Progress& progress, bool due, bool best);
  void save(const Progress& progress);

  std::filesystem::path run_;
  CheckpointParts parts_;
  std::string identity_;
  TrainingOptions options_;
  std::int64_t saved_step_ = -1;
  std::vector<PassedOver> passed_over_;  ///< not whole; deleted once there is a newer one that is
};

/// Where the run stood. Throws UserError for a file that does not say.
Progress progress_of(const Checkpoint& checkpoint, torch::Device device);

/// Puts a checkpoint back into the model, the optimizer (if any) and the random states, and returns
/// where the run stood. Throws UserError naming the file that does not fit.
Progress restore_checkpoint(const Checkpoint& checkpoint, Model& model, Optimizer* optimizer,
                            torch::Device device);

/// Puts only the weights back.
void restore_model(const Checkpoint& checkpoint, Model& model);

}  // namespace zoo
