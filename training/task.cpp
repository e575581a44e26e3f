#include "training/task.h"

#include <stdexcept>

#include "training/language_model_task.h"
#include "training/masked_language_model_task.h"
#include "training/sequence_to_sequence_task.h"
#include "training/text_classification_task.h"

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

double f1(const Confusion& confusion, std::size_t of_class) {
  std::int64_t there = 0;
  std::int64_t answered = 0;
  for (std::size_t i = 0; i < confusion.size(); ++i) {
    there += confusion[of_class][i];
    answered += confusion[i][of_class];
  }
  const auto right = static_cast<double>(confusion[of_class][of_class]);
  return there + answered == 0 ? 0.0 : 2.0 * right / static_cast<double>(there + answered);
}

double macro_f1(const Confusion& confusion) {
  double sum = 0.0;
  for (std::size_t k = 0; k < confusion.size(); ++k) sum += f1(confusion, k);
  return sum / static_cast<double>(confusion.size());
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing, const DataFacts& facts) {
  switch (type) {
    case TaskType::kLanguageModel:
      return std::make_unique<LanguageModelTask>(label_smoothing);
    case TaskType::kMaskedLanguageModel:
      return std::make_unique<MaskedLanguageModelTask>(label_smoothing, facts);
    case TaskType::kTextClassification:
      return std::make_unique<TextClassificationTask>(label_smoothing);
    case TaskType::kSequenceToSequence:
      return std::make_unique<SequenceToSequenceTask>(label_smoothing);
  }
  throw std::logic_error("a task type has no task");
}

}  // namespace zoo
