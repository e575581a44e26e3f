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

/// Sums of figures of merit, kept on the device until they are read.
class Figures {
 public:
  void add(const std::string& name, const torch::Tensor& sum);
  /// The sums by name; waits for the device.
  std::map<std::string, double> read() const;

 private:
  std::map<std::string, torch::Tensor> sums_;  // [] float64 each
};

/// How a model's answers are judged.
class Task {
 public:
  virtual ~Task() = default;
  /// What training minimises: logits and targets of one batch -> loss per row.
  virtual LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const = 0;
  /// Adds one batch to "loss" (nats, without label smoothing), "count" (what is predicted) and the
  /// task's other figures, each a sum over what is predicted.
  virtual void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const = 0;
};

enum class TaskType { kLanguageModel };
inline EnumNames<TaskType> names_of(TaskType) {
  return {{"language_model", TaskType::kLanguageModel}};
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing);

}  // namespace zoo
