#include "analysis/gradient_reach.h"

#include <algorithm>
#include <memory>
#include <unordered_set>

#include <ATen/Context.h>
#include <torch/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "analysis/cost.h"
#include "core/errors.h"
#include "inference/trained_model.h"

namespace zoo {
namespace {

namespace autograd = torch::autograd;

constexpr std::int64_t kWindows = 64;

/// Keeps a gradient that passes through a node of a graph.
class Keeper : public autograd::FunctionPreHook {
 public:
  explicit Keeper(torch::Tensor& kept) : kept_(kept) {}
  autograd::variable_list operator()(const autograd::variable_list& gradients) override {
    kept_ = gradients.front();
    return gradients;
  }

 private:
  torch::Tensor& kept_;
};

/// The node that looked up rows of `table`, somewhere before `node`; null: there is none.
autograd::Node* look_up_of(const torch::Tensor& table, autograd::Node* node) {
  std::unordered_set<const autograd::Node*> seen;
  std::vector<autograd::Node*> waiting = {node};
  while (!waiting.empty()) {
    auto* here = waiting.back();
    waiting.pop_back();
    if (!seen.insert(here).second) continue;
    for (const auto& edge : here->next_edges()) {
      if (!edge.function) continue;
      const auto* end = dynamic_cast<autograd::AccumulateGrad*>(edge.function.get());
      const bool ends_at_table = end != nullptr && end->variable.is_same(table);
      if (ends_at_table && here->name().find("Embedding") != std::string::npos) return here;
      waiting.push_back(edge.function.get());
    }
  }
  return nullptr;
}

/// cuDNN has no backward of a recurrence in evaluation.
class WithoutCudnn {
 public:
  WithoutCudnn() : enabled_(at::globalContext().userEnabledCuDNN()) {
    at::globalContext().setUserEnabledCuDNN(false);
  }
  ~WithoutCudnn() { at::globalContext().setUserEnabledCuDNN(enabled_); }
  WithoutCudnn(const WithoutCudnn&) = delete;
  WithoutCudnn& operator=(const WithoutCudnn&) = delete;

 private:
  bool enabled_;
};

}  // namespace

std::vector<double> gradient_reach(const Experiment& experiment, const std::string& split) {
  const auto* embedded = dynamic_cast<const TokenEmbedding*>(experiment.model.get());
  require<UserError>(experiment.text.format == TextFormat::kText && embedded != nullptr,
                     "gradient_reach: ", experiment.config.general.architecture,
                     " has no embedding, or the data is no running text; set data.format to text, "
                     "or leave it out");
  const auto batch = experiment.all_batches(split, RowOrder::kAsGiven)->at(0);
  const auto rows = std::min(kWindows, batch.targets.size(0));
  const EvaluationMode evaluation_mode(*experiment.model);
  const WithoutCudnn without_cudnn;
  auto logits = experiment.model->forward(first_rows(batch.inputs, rows));
  auto targets = batch.targets.narrow(0, 0, rows);
  if (logits.dim() == 3) logits = logits.select(1, -1);     // [B, V]
  if (targets.dim() == 2) targets = targets.select(1, -1);  // [B]
  const auto loss =
      at::cross_entropy_loss(logits, targets, /*weight=*/{}, at::Reduction::Sum, kIgnored);
  const auto table = embedded->token_embedding();
  auto* look_up = look_up_of(table, loss.grad_fn().get());
  require<std::logic_error>(look_up != nullptr, "gradient_reach: no embedding was looked up");
  torch::Tensor gradient;  // [B, T, C]
  look_up->add_pre_hook(std::make_unique<Keeper>(gradient));
  torch::autograd::grad({loss}, {table});
  const auto norms = gradient.norm(2, -1).mean(0).flip(0).to(torch::kCPU, torch::kFloat64);  // [T]
  const auto* first = norms.const_data_ptr<double>();
  return {first, first + norms.numel()};
}

}  // namespace zoo
