#include "analysis/cost.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "analysis/cost_observer.h"
#include "core/errors.h"
#include "models/model.h"

namespace zoo {
namespace {

/// Puts modes, gradients, buffers and the random state back at the end of a scope.
class ModelState {
 public:
  explicit ModelState(Model& model) {
    auto device = at::Device(at::kCPU);
    for (const auto& module : model.modules()) modes_.emplace_back(module, module->is_training());
    for (const auto& parameter : model.parameters()) {
      gradients_.emplace_back(parameter, parameter.grad());
      device = parameter.device();
    }
    for (const auto& buffer : model.buffers()) buffers_.emplace_back(buffer, buffer.clone());
    generator_ = at::globalContext().defaultGenerator(device);
    const std::lock_guard lock(generator_.mutex());
    random_ = generator_.get_state();
  }

  ~ModelState() {
    const at::NoGradGuard no_grad;
    // Parents come before children, whose own mode is written last.
    for (const auto& [module, training] : modes_) module->train(training);
    for (auto& [parameter, gradient] : gradients_) parameter.mutable_grad() = gradient;
    for (auto& [buffer, value] : buffers_) buffer.copy_(value);
    const std::lock_guard lock(generator_.mutex());
    generator_.set_state(random_);
  }
  ModelState(const ModelState&) = delete;
  ModelState& operator=(const ModelState&) = delete;

 private:
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> modes_;
  std::vector<std::pair<at::Tensor, at::Tensor>> gradients_;
  std::vector<std::pair<at::Tensor, at::Tensor>> buffers_;
  at::Generator generator_;
  at::Tensor random_;
};

/// "zoo::(anonymous namespace)::BlockImpl" -> "Block".
std::string kind_of(const torch::nn::Module& module) {
  auto kind = module.name();
  kind = kind.substr(0, kind.find('<'));
  const auto colon = kind.rfind(':');
  if (colon != std::string::npos) kind = kind.substr(colon + 1);
  if (kind.size() > 4 && kind.ends_with("Impl")) kind.resize(kind.size() - 4);
  return kind;
}

/// Every module with its own parameters; what must be run to be known stays 0.
std::vector<ModuleCost> list_modules(const Model& model) {
  std::vector<ModuleCost> rows;
  std::vector<const void*> seen;
  for (const auto& item : model.named_modules()) {
    ModuleCost row;
    row.name = item.key();
    row.kind = kind_of(*item.value());
    for (const auto& parameter : item.value()->named_parameters(/*recurse=*/false)) {
      row.parameters.emplace_back(parameter.key(), parameter.value().sizes().vec());
      const void* tensor = parameter.value().unsafeGetTensorImpl();
      if (std::find(seen.begin(), seen.end(), tensor) != seen.end()) continue;
      seen.push_back(tensor);
      row.parameter_count += parameter.value().numel();
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Bytes that live as long as training does: parameters and buffers, and for what is trained its
/// gradient and two moments of the optimizer.
std::int64_t lasting_bytes(const Model& model) {
  std::unordered_map<const void*, std::int64_t> bytes_of;
  for (const auto& buffer : model.buffers()) {
    bytes_of[buffer.unsafeGetTensorImpl()] = static_cast<std::int64_t>(buffer.nbytes());
  }
  for (const auto& parameter : model.parameters()) {
    const auto copies = parameter.requires_grad() ? 4 : 1;
    bytes_of[parameter.unsafeGetTensorImpl()] =
        copies * static_cast<std::int64_t>(parameter.nbytes());
  }
  std::int64_t sum = 0;
  for (const auto& [tensor, bytes] : bytes_of) sum += bytes;
  return sum;
}

/// Forward, cross-entropy and backward as in training, into gradients that exist before.
/// @returns bytes that each module holds at the end of the forward
std::vector<std::int64_t> observe_training(Model& model, const Inputs& batch,
                                           const std::shared_ptr<CostObserver>& observer) {
  model.train();
  bool learns = false;
  for (auto& parameter : model.parameters()) {
    if (!parameter.requires_grad()) continue;
    learns = true;
    parameter.mutable_grad() = at::zeros_like(parameter);
  }
  const at::AutoGradMode grad_mode(learns);
  const Observation observation(observer);
  const auto logits = model.forward(batch);
  const auto kept = observer->live_bytes_of();
  if (!learns) return kept;
  const auto scores = logits.reshape({-1, logits.size(-1)}).to(at::kFloat);  // [N, V]
  const auto targets = at::zeros({scores.size(0)}, scores.options().dtype(at::kLong));
  const auto loss = at::cross_entropy_loss(scores, targets);
  if (loss.requires_grad()) loss.backward();
  return kept;
}

}  // namespace

Cost measure_cost(Model& model, const Inputs& one, const Inputs& batch) {
  const auto& rows = batch.images.defined() ? batch.images : batch.tokens;
  require<ShapeError>(rows.defined() && rows.dim() > 0 && rows.size(0) > 0,
                      "measure_cost: the batch has no row; give tokens [B, T] or images "
                      "[B, C, H, W]");
  const ModelState state(model);
  const ModuleMap modules(model);
  Cost cost;
  cost.modules = list_modules(model);

  const auto forward = std::make_shared<CostObserver>(modules);
  {
    model.eval();
    const at::NoGradGuard no_grad;
    const Observation observation(forward);
    model.forward(one);
  }
  forward->check();
  const auto training = std::make_shared<CostObserver>(modules);
  const auto kept = observe_training(model, batch, training);
  training->check();

  cost.flops_forward = forward->flops();
  cost.flops_training = training->flops() / rows.size(0);
  cost.activation_bytes = training->peak_bytes();
  cost.memory_bytes = cost.activation_bytes + lasting_bytes(model);
  for (std::size_t index = 0; index < cost.modules.size(); ++index) {
    auto& row = cost.modules[index];
    row.flops_forward = forward->flops_of()[index];
    row.activation_bytes = kept[index];
    cost.parameters += row.parameter_count;
  }
  return cost;
}

}  // namespace zoo
