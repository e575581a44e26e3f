#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// How often each class (the first index) was taken for each.
using Confusion = std::vector<std::vector<std::int64_t>>;

/// The harmonic mean of precision and recall of one class; 0 of one that neither is there nor was
/// answered.
double f1(const Confusion& confusion, std::size_t of_class);

/// Its mean over all classes.
double macro_f1(const Confusion& confusion);

/// Sums and counts of figures of merit, kept on the device until they are read.
class Figures {
 public:
  void add(const std::string& name, const torch::Tensor& sum, const torch::Tensor& count);
  /// Adds how many rows of each class got each answer: counts [K classes, K answers].
  void add_confusion(const torch::Tensor& counts);
  /// The figures by name; waits for the device.
  std::map<std::string, Figure> read() const;
  /// The same of classes and answers; empty where there are none.
  Confusion confusion() const;

 private:
  std::map<std::string, torch::Tensor> sums_;  // [2] float64 each: sum, count
  torch::Tensor confusion_;                    // [K, K] int64
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
  /// What the task makes of rows as they stand in the data: `batch_size` of them a batch. The same
  /// seed makes the same of them.
  virtual std::unique_ptr<BatchSource> batches(std::unique_ptr<BatchSource> rows,
                                               std::int64_t /*batch_size*/,
                                               std::uint64_t /*seed*/) const {
    return rows;
  }
};

enum class TaskType {
  kLanguageModel,
  kMaskedLanguageModel,
  kSequenceToSequence,
  kTextClassification
};
inline EnumNames<TaskType> names_of(TaskType) {
  return {{"language_model", TaskType::kLanguageModel},
          {"masked_language_model", TaskType::kMaskedLanguageModel},
          {"sequence_to_sequence", TaskType::kSequenceToSequence},
          {"text_classification", TaskType::kTextClassification}};
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing, const DataFacts& facts);

}  // namespace zoo
