#include "inference/classification.h"

#include <algorithm>
#include <numeric>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/image_inputs.h"

namespace zoo {
namespace {

/// Texts or images in one forward pass.
constexpr std::size_t kAtOnce = 256;

Classification ranked_one(const std::vector<std::string>& classes, const double* probabilities) {
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

/// The classes of inputs, which `read` makes of some of them at a time.
template <class Input, class Read>
std::vector<Classification> classified(const TrainedModel& trained,
                                       const std::vector<Input>& inputs, const Read& read) {
  const auto& classes = trained.vocabulary.classes;
  require<UserError>(!classes.empty(), "the run tells no classes apart: its task is ",
                     name_of(trained.config.general.task));
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  std::vector<Classification> all;
  for (std::size_t first = 0; first < inputs.size(); first += kAtOnce) {
    const auto last = std::min(first + kAtOnce, inputs.size());
    const std::vector<Input> some(inputs.begin() + static_cast<std::ptrdiff_t>(first),
                                  inputs.begin() + static_cast<std::ptrdiff_t>(last));
    const auto found = ranked(classes, trained.model.forward(read(some)));
    all.insert(all.end(), found.begin(), found.end());
  }
  return all;
}

}  // namespace

std::vector<Classification> ranked(const std::vector<std::string>& classes,
                                   const torch::Tensor& logits) {
  const auto probabilities = logits.to(torch::kFloat64).softmax(-1).cpu().contiguous();  // [B, K]
  const auto* row = probabilities.const_data_ptr<double>();
  std::vector<Classification> all;
  for (std::int64_t i = 0; i < probabilities.size(0); ++i, row += classes.size()) {
    all.push_back(ranked_one(classes, row));
  }
  return all;
}

std::vector<Classification> classify(const TrainedModel& trained,
                                     const std::vector<std::string>& texts, bool cut) {
  return classified(trained, texts, [&](const std::vector<std::string>& some) {
    return inputs_of(trained, some, "text", cut);
  });
}

std::vector<Classification> classify(const TrainedModel& trained,
                                     const std::vector<Image>& images) {
  return classified(trained, images,
                    [&](const std::vector<Image>& some) { return inputs_of(trained, some); });
}

}  // namespace zoo
