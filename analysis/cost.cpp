#include "analysis/cost.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <numeric>
#include <unordered_set>

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "analysis/cost_observer.h"
#include "core/errors.h"
#include "models/model.h"

namespace zoo {
namespace {

/// Rows from which those of a batch are foretold.
constexpr std::int64_t kFewRows = 4, kMoreRows = 8;

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

/// Adds what lives as long as training does to its module and to the whole: parameters and buffers,
/// and for what is trained its gradient and the optimizer's moments.
void add_lasting(const Model& model, OptimizerType optimizer, Cost& cost) {
  std::unordered_set<const void*> seen;
  std::size_t index = 0;
  for (const auto& module : model.modules()) {
    auto& lasting = cost.modules[index++].lasting_bytes;
    const auto add = [&](const at::Tensor& tensor, std::int64_t copies, std::int64_t& sum) {
      const auto bytes = copies * static_cast<std::int64_t>(tensor.nbytes());
      sum += bytes;
      lasting += bytes;
    };
    for (const auto& parameter : module->parameters(/*recurse=*/false)) {
      if (!seen.insert(parameter.unsafeGetTensorImpl()).second) continue;
      add(parameter, 1, cost.parameter_bytes);
      if (!parameter.requires_grad()) continue;
      add(parameter, 1, cost.gradient_bytes);
      add(parameter, moments_of(optimizer), cost.optimizer_bytes);
    }
    for (const auto& buffer : module->buffers(/*recurse=*/false)) {
      if (seen.insert(buffer.unsafeGetTensorImpl()).second) add(buffer, 1, cost.buffer_bytes);
    }
  }
}

std::int64_t bytes_of(Inputs inputs) {
  std::int64_t bytes = 0;
  for (const auto& [name, part] : inputs.tensors()) {
    if (part->defined()) bytes += static_cast<std::int64_t>(part->nbytes());
  }
  return bytes;
}

/// A batch of so many rows, the first again after the last.
Inputs taken_in_turn(Inputs inputs, std::int64_t count) {
  for (auto& [name, part] : inputs.tensors()) {
    if (!part->defined() || part->size(0) == count) continue;
    const auto numbers = at::arange(count, part->options().dtype(at::kLong));
    *part = part->index_select(0, numbers.remainder(part->size(0)));
  }
  return inputs;
}

std::int64_t rows_of(const Inputs& batch) {
  const auto& rows = batch.images.defined() ? batch.images : batch.tokens;
  require<ShapeError>(rows.defined() && rows.dim() > 0 && rows.size(0) > 0,
                      "measure_cost: the batch has no row; give tokens [B, T] or images "
                      "[B, C, H, W]");
  return rows.size(0);
}

void sum_memory(Cost& cost) {
  const auto working = std::max(cost.batch_bytes + cost.activation_bytes, cost.parameter_bytes);
  cost.memory_bytes = cost.lasting_bytes() + working;
}

/// Forward, cross-entropy and backward as in training, into gradients that exist before.
/// @returns bytes that each module holds at the end of the forward
std::vector<std::int64_t> observe_training(Model& model, const Inputs& batch,
                                           const std::shared_ptr<CostObserver>& observer,
                                           Watched watched) {
  model.train();
  bool learns = false;
  for (auto& parameter : model.parameters()) {
    if (!parameter.requires_grad()) continue;
    learns = true;
    parameter.mutable_grad() = at::zeros_like(parameter);
  }
  const at::AutoGradMode grad_mode(learns);
  const Observation observation(observer, watched);
  auto logits = model.forward(batch);
  const auto kept = observer->live_bytes_of();
  if (!learns) return kept;
  auto scores = logits.reshape({-1, logits.size(-1)}).to(at::kFloat);  // [N, V]
  const auto targets = at::zeros({scores.size(0)}, scores.options().dtype(at::kLong));
  const auto loss = at::cross_entropy_loss(scores, targets);
  // The trainer has let go of the logits by now.
  logits.reset();
  scores.reset();
  if (loss.requires_grad()) loss.backward();
  return kept;
}

}  // namespace

Cost measure_cost(Model& model, const Inputs& one, const Inputs& batch, OptimizerType optimizer) {
  const auto rows = rows_of(batch);
  const ModelState state(model);
  const ModuleMap modules(model);
  Cost cost;
  cost.modules = list_modules(model);

  const auto forward = std::make_shared<CostObserver>(modules);
  {
    model.eval();
    const at::NoGradGuard no_grad;
    const Observation observation(forward, Watched::kOperatorsToo);
    model.forward(one);
  }
  forward->check();
  const auto training = std::make_shared<CostObserver>(modules);
  const auto kept_of = observe_training(model, batch, training, Watched::kOperatorsToo);
  training->check();
  const auto memory = std::make_shared<CostObserver>(modules);
  const auto kept = observe_training(model, batch, memory, Watched::kAllocations);

  cost.flops_forward = forward->flops();
  cost.flops_training = training->flops() / rows;
  cost.activation_bytes = memory->peak_bytes();
  cost.kept_bytes = std::accumulate(kept.begin(), kept.end(), std::int64_t{0});
  cost.batch_bytes = bytes_of(batch);
  add_lasting(model, optimizer, cost);
  sum_memory(cost);
  for (std::size_t index = 0; index < cost.modules.size(); ++index) {
    auto& row = cost.modules[index];
    row.flops_forward = forward->flops_of()[index];
    row.activation_bytes = kept_of[index];
    cost.parameters += row.parameter_count;
  }
  return cost;
}

Inputs first_rows(Inputs inputs, std::int64_t count) {
  for (auto& [name, part] : inputs.tensors()) {
    if (part->defined()) *part = part->narrow(0, 0, count);
  }
  return inputs;
}

Cost measure_cost(Model& model, const Inputs& batch, OptimizerType optimizer) {
  return measure_cost(model, first_rows(batch, 1), batch, optimizer);
}

Cost foretell_cost(Model& model, const Inputs& rows, std::int64_t count, OptimizerType optimizer,
                   std::int64_t available) {
  if (count <= kMoreRows) return measure_cost(model, taken_in_turn(rows, count), optimizer);
  const auto more_rows = taken_in_turn(rows, kMoreRows);
  const auto few = measure_cost(model, first_rows(more_rows, kFewRows), optimizer);
  auto cost = measure_cost(model, more_rows, optimizer);
  const auto extended = [&](std::int64_t at_few, std::int64_t at_more) {
    return at_more + (at_more - at_few) * (count - kMoreRows) / (kMoreRows - kFewRows);
  };
  cost.kept_bytes = extended(few.kept_bytes, cost.kept_bytes);
  cost.activation_bytes =
      std::max(extended(few.activation_bytes, cost.activation_bytes), cost.kept_bytes);
  cost.batch_bytes = extended(few.batch_bytes, cost.batch_bytes);
  sum_memory(cost);
  if (cost.memory_bytes >= available / 2) return cost;
  return measure_cost(model, taken_in_turn(rows, count), optimizer);
}

}  // namespace zoo
