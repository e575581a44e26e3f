#include "training/task.h"

#include <stdexcept>

#include "training/classification_task.h"
#include "training/language_model_task.h"
#include "training/masked_language_model_task.h"
#include "training/sequence_to_sequence_task.h"

namespace zoo {

void Figures::add(const std::string& name, const torch::Tensor& sum, const torch::Tensor& count) {
  auto& total = sums_[name];
  const auto both = torch::stack({sum.to(torch::kFloat64), count.to(torch::kFloat64)});
  total = total.defined() ? total + both : both;
}

std::map<std::string, Figure> Figures::read() const {
  std::map<std::string, Figure> figures;
  for (const auto& [name, sums] : sums_) {
    const auto there = sums.cpu();
    figures[name] = {there[0].item<double>(), there[1].item<double>()};
  }
  return figures;
}

void Figures::add_confusion(const torch::Tensor& counts) {
  confusion_ = confusion_.defined() ? confusion_ + counts : counts;
}

Confusion Figures::confusion() const {
  if (!confusion_.defined()) return {};
  const auto there = confusion_.cpu().contiguous();
  const auto* counts = there.const_data_ptr<std::int64_t>();
  const auto K = there.size(0);
  Confusion confusion;
  for (std::int64_t row = 0; row < K; ++row) {
    confusion.emplace_back(counts + row * K, counts + (row + 1) * K);
  }
  return confusion;
}

void Figures::add_calibration(const torch::Tensor& bins) {
  calibration_ = calibration_.defined() ? calibration_ + bins : bins;
}

std::optional<double> Figures::calibration_error() const {
  if (!calibration_.defined()) return std::nullopt;
  const auto there = calibration_.cpu();
  const auto apart = (there[1] - there[2]).abs().sum() / there[0].sum();
  return apart.item<double>();
}

namespace {

/// Rows of a class, answers of it, and what is both.
struct ClassCounts {
  std::int64_t there = 0;
  std::int64_t answered = 0;
  std::int64_t right = 0;
};

ClassCounts counts_of(const Confusion& confusion, std::size_t of_class) {
  ClassCounts counts;
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    counts.there += confusion[of_class][i];
    counts.answered += confusion[i][of_class];
  }
  counts.right = confusion[of_class][of_class];
  return counts;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double precision(const Confusion& confusion, std::size_t of_class) {
  const auto counts = counts_of(confusion, of_class);
  return share(counts.right, counts.answered);
}

double recall(const Confusion& confusion, std::size_t of_class) {
  const auto counts = counts_of(confusion, of_class);
  return share(counts.right, counts.there);
}

double f1(const Confusion& confusion, std::size_t of_class) {
  const auto counts = counts_of(confusion, of_class);
  return share(2 * counts.right, counts.there + counts.answered);
}

double macro_f1(const Confusion& confusion) {
  double sum = 0.0;
  for (std::size_t k = 0; k < confusion.size(); ++k) sum += f1(confusion, k);
  return sum / static_cast<double>(confusion.size());
}

const char* predicted_unit(TaskType type) {
  if (type == TaskType::kTextClassification) return "text";
  return type == TaskType::kImageClassification ? "image" : "token";
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing, const DataFacts& facts) {
  switch (type) {
    case TaskType::kLanguageModel:
      return std::make_unique<LanguageModelTask>(label_smoothing);
    case TaskType::kMaskedLanguageModel:
      return std::make_unique<MaskedLanguageModelTask>(label_smoothing, facts);
    case TaskType::kTextClassification:
    case TaskType::kImageClassification:
      return std::make_unique<ClassificationTask>(label_smoothing);
    case TaskType::kSequenceToSequence:
      return std::make_unique<SequenceToSequenceTask>(label_smoothing);
  }
  throw std::logic_error("a task type has no task");
}

}  // namespace zoo
