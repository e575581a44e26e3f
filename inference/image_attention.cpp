#include "inference/image_attention.h"

#include <torch/utils.h>

#include "core/errors.h"
#include "inference/image_inputs.h"
#include "models/taps.h"

namespace zoo {

std::vector<PatchAttention> patch_attention(const TrainedModel& trained, const Image& image) {
  const auto* grid = dynamic_cast<const PatchGrid*>(&trained.model);
  require<UserError>(grid != nullptr, "architecture ", trained.architecture().name,
                     " has no attention over patches; those that do: ",
                     join(architectures_with<PatchGrid>(), ", "));
  std::vector<PatchAttention> layers;
  const TapListener listener([&](const std::string& name, const torch::Tensor& weights) {
    const auto slash = name.find('/');
    if (!name.ends_with("attention.weights") || slash == std::string::npos) return;
    const auto queries = weights[0];  // [H, N + 1, N + 1]
    const auto N = queries.size(2) - 1;
    const auto of_answer = grid->answers_from_class_token()
                               ? queries.select(1, 0)
                               : queries.narrow(1, 1, N).mean(1);  // [H, N + 1]
    layers.push_back({name.substr(0, slash), of_answer.narrow(1, 1, N)
                                                 .unflatten(1, {grid->rows(), grid->columns()})
                                                 .to(torch::kCPU, torch::kFloat32)
                                                 .contiguous()});
  });
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  trained.model.forward(inputs_of(trained, {image}));
  return layers;
}

}  // namespace zoo
