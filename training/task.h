#pragma once

#include <map>
#include <memory>
#include <string>

#include <torch/types.h>

#include "core/options.h"
#include "training/batch.h"

namespace zoo {

/// A loss before it is divided: sums and counts add up over micro-batches and splits; a mean does
/// not.
struct LossSum {
  torch::Tensor sum;    // [B], nats per row
  torch::Tensor count;  // [B], predicted tokens per row
};

/// A figure of merit over a whole split: what was added up, and over how many.
struct Figure {
  double sum = 0.0;
  double count = 0.0;

  double mean() const { return sum / count; }
};

/// Sums and counts of figures of merit, kept on the device until they are read.
class Figures {
 public:
  void add(const std::string& name, const torch::Tensor& sum, const torch::Tensor& count);
  /// The figures by name; waits for the device.
  std::map<std::string, Figure> read() const;

 private:
  std::map<std::string, torch::Tensor> sums_;  // [2] float64 each: sum, count
};

/// How a model's answers are judged.
class Task {
 public:
  virtual ~Task() = default;
  /// What training minimises: logits and targets of one batch -> loss per row.
  virtual LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const = 0;
  /// Adds one batch to "loss" (nats, without label smoothing, over what is predicted) and to the
  /// task's other figures.
  virtual void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const = 0;
};

enum class TaskType { kLanguageModel, kSequenceToSequence };
inline EnumNames<TaskType> names_of(TaskType) {
  return {{"language_model", TaskType::kLanguageModel},
          {"sequence_to_sequence", TaskType::kSequenceToSequence}};
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing);

}  // namespace zoo
