#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <torch/types.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

enum class OptimizerType { kAdamW, kSgd };
inline EnumNames<OptimizerType> names_of(OptimizerType) {
  return {{"adamw", OptimizerType::kAdamW}, {"sgd", OptimizerType::kSgd}};
}

struct OptimizerOptions {
  OptimizerType type = OptimizerType::kAdamW;
  double learning_rate = 1e-3;
  double weight_decay = 0.1;
  std::array<double, 2> betas = {0.9, 0.99};
  double eps = 1e-8;
  double momentum = 0.9;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("type", self.type, "How a gradient becomes a step.");
    visit("learning_rate", self.learning_rate, "Full learning rate; the schedule scales it.",
          above(0));
    visit("weight_decay", self.weight_decay,
          "Decoupled decay of matrices and embeddings; biases and norms have none.", at_least(0));
    visit("betas", self.betas, "AdamW: decay of the two moments.", at_least(0).below(1));
    visit("eps", self.eps, "AdamW: added to the denominator.", above(0));
    visit("momentum", self.momentum, "SGD: share of the last step that is kept.",
          at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// Moments that an optimizer keeps of each parameter.
std::int64_t moments_of(OptimizerType type);

/// Tensors by name, e.g. a model's or an optimizer's state.
using NamedTensors = std::vector<std::pair<std::string, torch::Tensor>>;

/// AdamW (Loshchilov and Hutter, 2019) or SGD with momentum, over one flat buffer each for
/// parameters, gradients and moments; the model's parameters and gradients become views of them.
class Optimizer {
 public:
  /// The model must be on its device by now, and its parameters may only be filled by copy later.
  Optimizer(const Model& model, const OptimizerOptions& options);

  void zero_grad();

  /// The norm of all gradients, [], on the device. A norm above `max_norm` (0: no limit) makes the
  /// next step use gradients scaled down to it; one that is not finite makes the next step and all
  /// after it leave the parameters as they are.
  torch::Tensor clip(double max_norm);

  void step(double learning_rate);

  /// Moments and step count keyed by parameter name, e.g. "exp_avg.embedding.weight"; views.
  NamedTensors state() const;

 private:
  void adamw_step(double learning_rate);
  void sgd_step(double learning_rate);
  /// What the fused kernels divide gradients by.
  std::optional<torch::Tensor> scale() const;

  struct Slice {
    std::string name;
    std::int64_t offset;
    std::vector<std::int64_t> shape;
  };
  torch::Tensor view(const torch::Tensor& flat, const Slice& slice) const;

  OptimizerOptions options_;
  std::vector<Slice> slices_;
  std::int64_t decayed_ = 0;            // flat elements [0, decayed_) take weight decay
  torch::Tensor parameters_;            // [N]
  torch::Tensor gradients_;             // [N]
  std::vector<torch::Tensor> moments_;  // [N] each: AdamW two, SGD one
  torch::Tensor steps_;                 // [] float32
  torch::Tensor scale_;                 // [], gradients are divided by it; undefined: 1
  torch::Tensor failed_;                // [] float32, 1 once a norm was not finite
};

}  // namespace zoo
