#include "inference/text_vectors.h"

#include <algorithm>

#include <torch/utils.h>

#include "core/errors.h"
#include "models/shapes.h"

namespace zoo {
namespace {

/// Texts in one forward pass.
constexpr std::size_t kTextsAtOnce = 256;

/// x [B, T, C] of rows padded on the right -> [B, C].
torch::Tensor pooled(const torch::Tensor& x, const torch::Tensor& lengths, Pooling pooling) {
  Inputs inputs;
  inputs.tokens = torch::zeros({x.size(0), x.size(1)}, lengths.options());
  inputs.lengths = lengths;
  switch (pooling) {
    case Pooling::kFirst:
      return x.select(1, 0);
    case Pooling::kLast:
      return last_real(x, inputs);
    case Pooling::kMean:
      break;
  }
  const auto real = real_tokens(inputs).unsqueeze(-1);  // [B, T, 1]
  return x.masked_fill(real.logical_not(), 0.0).sum(1) / lengths.unsqueeze(1);
}

}  // namespace

torch::Tensor text_vectors(const TrainedModel& trained, const std::vector<std::string>& texts,
                           Pooling pooling) {
  auto* model = dynamic_cast<Representation*>(&trained.model);
  require<UserError>(model != nullptr, "architecture ", trained.config.general.architecture,
                     " has no vectors for texts; those that do: ",
                     join(architectures_with<Representation>(), ", "));
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  std::vector<torch::Tensor> vectors;
  for (std::size_t first = 0; first < texts.size(); first += kTextsAtOnce) {
    const auto last = std::min(first + kTextsAtOnce, texts.size());
    const std::vector<std::string> some(texts.begin() + static_cast<std::ptrdiff_t>(first),
                                        texts.begin() + static_cast<std::ptrdiff_t>(last));
    const auto inputs = inputs_of(trained, some, "text");
    const auto x = model->represent(inputs);  // [B, T, C]
    auto lengths = inputs.source.defined() ? inputs.source_lengths : inputs.lengths;
    if (!lengths.defined()) {
      lengths = torch::full({x.size(0)}, x.size(1), torch::dtype(torch::kInt64).device(x.device()));
    }
    vectors.push_back(pooled(x, lengths.clamp_min(1), pooling).cpu());
  }
  return torch::cat(vectors);  // [N, C]
}

std::vector<std::vector<NearText>> nearest_texts(const torch::Tensor& texts,
                                                 const torch::Tensor& lines, std::int64_t count) {
  const auto directions = [](const torch::Tensor& x) {
    const auto wide = x.to(torch::kFloat64);
    return wide / wide.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
  };
  const auto cosines = directions(texts).matmul(directions(lines).t());  // [N, M]
  const auto [values, numbers] = cosines.topk(std::min(count, lines.size(0)), -1);
  const auto value_at = values.accessor<double, 2>();
  const auto number_at = numbers.accessor<std::int64_t, 2>();
  std::vector<std::vector<NearText>> nearest(static_cast<std::size_t>(texts.size(0)));
  for (std::int64_t i = 0; i < values.size(0); ++i) {
    for (std::int64_t k = 0; k < values.size(1); ++k) {
      nearest[static_cast<std::size_t>(i)].push_back(
          {static_cast<std::size_t>(number_at[i][k]), value_at[i][k]});
    }
  }
  return nearest;
}

}  // namespace zoo
