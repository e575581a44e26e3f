#include "inference/classification.h"

#include <algorithm>
#include <numeric>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"

namespace zoo {
namespace {

/// Texts in one forward pass.
constexpr std::size_t kTextsAtOnce = 256;

Classification ranked(const std::vector<std::string>& classes, const double* probabilities) {
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return probabilities[a] > probabilities[b];
  });
  Classification classification;
  for (const auto k : order) {
    classification.classes.push_back(classes[k]);
    classification.probabilities.push_back(probabilities[k]);
  }
  return classification;
}

}  // namespace

std::vector<Classification> classify(const TrainedModel& trained,
                                     const std::vector<std::string>& texts, bool cut) {
  const auto& classes = trained.vocabulary.classes;
  require<UserError>(!classes.empty(), "the run tells no classes apart: its task is ",
                     name_of(trained.config.general.task));
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  std::vector<Classification> classifications;
  for (std::size_t first = 0; first < texts.size(); first += kTextsAtOnce) {
    const auto last = std::min(first + kTextsAtOnce, texts.size());
    const std::vector<std::string> some(texts.begin() + static_cast<std::ptrdiff_t>(first),
                                        texts.begin() + static_cast<std::ptrdiff_t>(last));
    const auto logits = trained.model.forward(inputs_of(trained, some, "text", cut));  // [B, K]
    const auto probabilities = logits.to(torch::kFloat64).softmax(-1).cpu().contiguous();
    const auto* row = probabilities.const_data_ptr<double>();
    for (std::size_t i = 0; i < some.size(); ++i, row += classes.size()) {
      classifications.push_back(ranked(classes, row));
    }
  }
  return classifications;
}

}  // namespace zoo
