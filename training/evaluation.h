#pragma once

#include <map>
#include <string>

#include "models/model.h"
#include "training/batch.h"
#include "training/task.h"

namespace zoo {

/// What a model is worth on a whole split.
struct Evaluation {
  std::string split;
  double loss = 0.0;                      ///< nats per predicted token
  std::int64_t tokens = 0;                ///< predicted tokens, padding excluded
  std::map<std::string, double> figures;  ///< the task's other figures
  Confusion confusion;                    ///< of classes; empty of other tasks

  /// The loss in bits.
  double bits() const;
};

/// Runs the model in evaluation mode over every batch of the source and divides by the count of
/// the whole split. Leaves random states and the training flag as they were.
Evaluation evaluate(Model& model, const Task& task, BatchSource& source, const std::string& split);

}  // namespace zoo
