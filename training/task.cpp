#include "training/task.h"

#include <stdexcept>

#include "training/language_model_task.h"
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

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing) {
  switch (type) {
    case TaskType::kLanguageModel:
      return std::make_unique<LanguageModelTask>(label_smoothing);
    case TaskType::kSequenceToSequence:
      return std::make_unique<SequenceToSequenceTask>(label_smoothing);
  }
  throw std::logic_error("a task type has no task");
}

}  // namespace zoo
