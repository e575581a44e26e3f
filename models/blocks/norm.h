#pragma once

#include <cstdint>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "core/options.h"

namespace zoo {

enum class NormType { kLayer, kBatch, kRms, kNone };
inline EnumNames<NormType> names_of(NormType) {
  return {{"layer", NormType::kLayer},
          {"batch", NormType::kBatch},
          {"rms", NormType::kRms},
          {"none", NormType::kNone}};
}

/// Normalises the last dimension's C channels, then scales and shifts each:
/// (x - mean) / sqrt(variance + eps) * weight + bias, with the biased variance.
///
/// layer (Ba et al., 2016): mean and variance of each position's own channels.
/// batch (Ioffe and Szegedy, 2015): of each channel over all real positions of the batch; in
/// evaluation the running averages of training, with momentum 0.1 and the unbiased variance.
/// rms (Zhang and Sennrich, 2019): x / sqrt(mean(x^2) + eps) * weight, of each position's own
/// channels, without bias.
/// none: the input, without parameters.
class NormImpl : public torch::nn::Module {
 public:
  NormImpl(NormType type, std::int64_t channels, bool bias, double eps = 1e-5);

  /// x [..., C] -> [..., C]. `real`, bool [...], says which positions batch statistics count;
  /// undefined: all.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& real = {});

 private:
  torch::Tensor batch_norm(const torch::Tensor& x, const torch::Tensor& real);

  NormType type_;
  double eps_;
  torch::Tensor weight_;                           // [C]
  torch::Tensor bias_;                             // [C], undefined without bias
  torch::Tensor running_mean_, running_variance_;  // [C], batch only
};
TORCH_MODULE(Norm);

}  // namespace zoo
