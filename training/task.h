#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

/// Share of the answers "this class" that are right, and of the rows of this class that got it; 0
/// of none.
double precision(const Confusion& confusion, std::size_t of_class);
double recall(const Confusion& confusion, std::size_t of_class);

/// Steps of confidence that calibration is measured in.
inline constexpr std::int64_t kCalibrationBins = 15;

/// Sums and counts of figures of merit, kept on the device until they are read.
class Figures {
 public:
  void add(const std::string& name, const torch::Tensor& sum, const torch::Tensor& count);
  /// Adds how many rows of each class got each answer: counts [K classes, K answers].
  void add_confusion(const torch::Tensor& counts);
  /// Adds, for each step of confidence, how many rows, their confidence and their right answers:
  /// bins [3, kCalibrationBins].
  void add_calibration(const torch::Tensor& bins);
  /// The figures by name; waits for the device.
  std::map<std::string, Figure> read() const;
  /// The same of classes and answers; empty where there are none.
  Confusion confusion() const;
  /// Expected calibration error (Naeini et al., 2015): how far confidence and accuracy lie apart,
  /// the mean over the rows' steps; none where it was not added.
  std::optional<double> calibration_error() const;

 private:
  std::map<std::string, torch::Tensor> sums_;  // [2] float64 each: sum, count
  torch::Tensor confusion_;                    // [K, K] int64
  torch::Tensor calibration_;                  // [3, kCalibrationBins] float64
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
  kTextClassification,
  kImageClassification
};
inline EnumNames<TaskType> names_of(TaskType) {
  return {{"language_model", TaskType::kLanguageModel},
          {"masked_language_model", TaskType::kMaskedLanguageModel},
          {"sequence_to_sequence", TaskType::kSequenceToSequence},
          {"text_classification", TaskType::kTextClassification},
          {"image_classification", TaskType::kImageClassification}};
}

/// Whether rows are images rather than text.
inline bool reads_images(TaskType type) { return type == TaskType::kImageClassification; }

/// Whether rows belong to classes.
inline bool tells_classes(TaskType type) {
  return type == TaskType::kTextClassification || type == TaskType::kImageClassification;
}

/// What one loss is of: "token", "text" or "image".
const char* predicted_unit(TaskType type);

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing, const DataFacts& facts);

}  // namespace zoo
