#include "training/optimizer.h"

#include <algorithm>

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/_fused_sgd.h>
#include <ATen/record_function.h>
#include <torch/utils.h>

#include "core/errors.h"

namespace zoo {
namespace {

/// Room a parameter takes in the flat buffer, in elements: a multiple of 16, so that each starts on
/// a cache line.
std::int64_t padded(std::int64_t elements) { return (elements + 15) / 16 * 16; }

}  // namespace

std::int64_t moments_of(OptimizerType type) { return type == OptimizerType::kAdamW ? 2 : 1; }

Optimizer::Optimizer(const Model& model, const OptimizerOptions& options) : options_(options) {
  auto parameters = unique_parameters(model);
  require<std::logic_error>(!parameters.empty(), "the model has no parameter to optimise");
  std::stable_partition(parameters.begin(), parameters.end(),
                        [](const auto& item) { return item.second.dim() >= 2; });
  std::int64_t size = 0;
  for (const auto& [name, parameter] : parameters) {
    slices_.push_back({name, size, parameter.sizes().vec()});
    size += padded(parameter.numel());
    if (parameter.dim() >= 2) decayed_ = size;
  }

  const torch::NoGradGuard no_grad;
  const auto flat = [&] { return torch::zeros({size}, parameters[0].second.options()); };
  parameters_ = flat();
  gradients_ = flat();
  for (std::int64_t i = 0; i < moments_of(options.type); ++i) moments_.push_back(flat());
  steps_ = torch::zeros({}, parameters_.options());
  failed_ = torch::zeros({}, parameters_.options().dtype(torch::kFloat32));
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    auto& parameter = parameters[i].second;
    auto place = view(parameters_, slices_[i]);
    place.copy_(parameter);
    parameter.set_data(place);
    parameter.mutable_grad() = view(gradients_, slices_[i]);
  }
}

torch::Tensor Optimizer::view(const torch::Tensor& flat, const Slice& slice) const {
  return flat.narrow(0, slice.offset, c10::multiply_integers(slice.shape)).view(slice.shape);
}

void Optimizer::zero_grad() {
  RECORD_USER_SCOPE("zoo::optimizer");
  gradients_.zero_();
}

torch::Tensor Optimizer::clip(double max_norm) {
  RECORD_USER_SCOPE("zoo::optimizer");
  const auto norm = gradients_.norm();
  failed_.copy_(failed_.maximum(norm.sub(norm).ne(0.0)));  // infinity less itself is no number
  scale_ = max_norm > 0.0 ? (norm / max_norm).clamp_min(1.0).to(torch::kFloat32) : torch::Tensor();
  return norm;
}

void Optimizer::step(double learning_rate) {
  RECORD_USER_SCOPE("zoo::optimizer");
  const torch::NoGradGuard no_grad;
  steps_.add_(1.0);
  if (options_.type == OptimizerType::kAdamW) {
    adamw_step(learning_rate);
  } else {
    sgd_step(learning_rate);
  }
  scale_ = torch::Tensor();
}

void Optimizer::adamw_step(double learning_rate) {
  const auto update = [&](std::int64_t begin, std::int64_t end, double weight_decay) {
    if (begin == end) return;
    const auto part = [&](const torch::Tensor& flat) { return flat.narrow(0, begin, end - begin); };
    at::_fused_adamw_({part(parameters_)}, {part(gradients_)}, {part(moments_[0])},
                      {part(moments_[1])}, {}, {steps_}, learning_rate, options_.betas[0],
                      options_.betas[1], weight_decay, options_.eps, /*amsgrad=*/false,
                      /*maximize=*/false, scale(), failed_);
  };
  update(0, decayed_, options_.weight_decay);
  update(decayed_, parameters_.size(0), 0.0);
}

void Optimizer::sgd_step(double learning_rate) {
  if (options_.weight_decay > 0.0) {
    parameters_.narrow(0, 0, decayed_).mul_(1.0 - learning_rate * options_.weight_decay);
  }
  at::_fused_sgd_({parameters_}, {gradients_}, {moments_[0]}, /*weight_decay=*/0.0,
                  options_.momentum, learning_rate, /*dampening=*/0.0, /*nesterov=*/false,
                  /*maximize=*/false, /*is_first_step=*/false, scale(), failed_);
}

std::optional<torch::Tensor> Optimizer::scale() const {
  return scale_.defined() ? std::optional(scale_) : std::nullopt;
}

NamedTensors Optimizer::state() const {
  static constexpr const char* kAdamWNames[] = {"exp_avg", "exp_avg_sq"};
  static constexpr const char* kSgdNames[] = {"momentum"};
  const auto* names = options_.type == OptimizerType::kAdamW ? kAdamWNames : kSgdNames;
  NamedTensors tensors;
  for (const auto& slice : slices_) {
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      tensors.emplace_back(text_of(names[i], ".", slice.name), view(moments_[i], slice));
    }
  }
  tensors.emplace_back("steps", steps_);
  return tensors;
}

}  // namespace zoo
