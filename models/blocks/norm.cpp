#include "models/blocks/norm.h"

#include <ATen/record_function.h>
#include <torch/types.h>
#include <torch/utils.h>

namespace zoo {
namespace {

constexpr double kMomentum = 0.1;

}  // namespace

NormImpl::NormImpl(NormType type, std::int64_t channels, bool bias, double eps)
    : type_(type), eps_(eps) {
  if (type_ == NormType::kNone) return;
  weight_ = register_parameter("weight", torch::ones({channels}));
  if (bias && type_ != NormType::kRms) bias_ = register_parameter("bias", torch::zeros({channels}));
  if (type_ == NormType::kBatch) {
    running_mean_ = register_buffer("running_mean", torch::zeros({channels}));
    running_variance_ = register_buffer("running_variance", torch::ones({channels}));
  }
}

torch::Tensor NormImpl::forward(const torch::Tensor& x, const torch::Tensor& real) {
  if (type_ == NormType::kNone) return x;
  RECORD_USER_SCOPE("zoo::norms");
  if (type_ == NormType::kBatch) return batch_norm(x, real);
  if (type_ == NormType::kRms) return at::rms_norm(x, weight_.sizes(), weight_, eps_);
  return torch::layer_norm(x, weight_.sizes(), weight_, bias_, eps_);
}

torch::Tensor NormImpl::batch_norm(const torch::Tensor& x, const torch::Tensor& real) {
  auto mean = running_mean_;          // [C]
  auto variance = running_variance_;  // [C]
  if (is_training()) {
    const auto rows = x.flatten(0, -2);  // [N, C]
    const auto share = real.defined() ? real.flatten().to(x.dtype()).unsqueeze(1)
                                      : torch::ones_like(rows.narrow(1, 0, 1));  // [N, 1]
    const auto count = share.sum().clamp_min(1.0);                               // []
    mean = (rows * share).sum(0) / count;
    variance = ((rows - mean).square() * share).sum(0) / count;

    const torch::NoGradGuard no_grad;
    const auto unbiased = variance * (count / (count - 1.0).clamp_min(1.0));
    running_mean_.lerp_(mean, kMomentum);
    running_variance_.lerp_(unbiased, kMomentum);
  }
  const auto scaled = (x - mean) * ((variance + eps_).rsqrt() * weight_);
  return bias_.defined() ? scaled + bias_ : scaled;
}

}  // namespace zoo
