#include "training/task.h"

#include <stdexcept>

#include "training/language_model_task.h"

namespace zoo {

void Figures::add(const std::string& name, const torch::Tensor& sum) {
  auto& total = sums_[name];
  const auto wide = sum.to(torch::kFloat64);
  total = total.defined() ? total + wide : wide;
}

std::map<std::string, double> Figures::read() const {
  std::map<std::string, double> values;
  for (const auto& [name, sum] : sums_) values[name] = sum.item<double>();
  return values;
}

std::unique_ptr<Task> make_task(TaskType type, double label_smoothing) {
  switch (type) {
    case TaskType::kLanguageModel:
      return std::make_unique<LanguageModelTask>(label_smoothing);
  }
  throw std::logic_error("a task type has no task");
}

}  // namespace zoo
