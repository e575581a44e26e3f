#include "training/evaluation.h"

#include <numbers>

#include <torch/types.h>
#include <torch/utils.h>

namespace zoo {

double Evaluation::bits() const { return loss / std::numbers::ln2; }

Evaluation evaluate(Model& model, const Task& task, BatchSource& source, const std::string& split) {
  const torch::NoGradGuard no_grad;
  const bool was_training = model.is_training();
  model.eval();
  Figures figures;
  for (std::int64_t number = 0; number < source.size(); ++number) {
    const auto batch = source.at(number);
    task.measure(model.forward(batch.inputs), batch, figures);
  }
  model.train(was_training);

  Evaluation evaluation;
  evaluation.split = split;
  for (const auto& [name, figure] : figures.read()) {
    if (name == "loss") {
      evaluation.loss = figure.mean();
      evaluation.tokens = static_cast<std::int64_t>(figure.count);
    } else {
      evaluation.figures[name] = figure.mean();
    }
  }
  evaluation.confusion = figures.confusion();
  if (!evaluation.confusion.empty())
    evaluation.figures["macro_f1"] = macro_f1(evaluation.confusion);
  if (const auto error = figures.calibration_error()) {
    evaluation.figures["calibration_error"] = *error;
  }
  return evaluation;
}

}  // namespace zoo
