#include "analysis/first_not_finite.h"

#include <memory>
#include <vector>

#include <ATen/record_function.h>
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "analysis/cost_observer.h"
#include "core/errors.h"
#include "training/random_state.h"

namespace zoo {
namespace {

/// Looks at what every operator of a forward pass gives, and later at the gradients of that.
class FiniteWatch {
 public:
  explicit FiniteWatch(const torch::nn::Module& model) : modules_(model) {
    for (const auto& item : model.named_modules()) {
      names_.push_back(item.key().empty() ? "the model" : item.key());
    }
    current_ = this;
    handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&begin, &end)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}));
  }
  ~FiniteWatch() {
    at::removeCallback(handle_);
    current_ = nullptr;
  }
  FiniteWatch(const FiniteWatch&) = delete;
  FiniteWatch& operator=(const FiniteWatch&) = delete;

  /// What follows works on the model's answers.
  void enter_loss() { in_loss_ = true; }
  const std::string& found() const { return found_; }

 private:
  struct Call {
    std::size_t module;
    bool has_parameters;  // of the module
  };

  static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& call) {
    auto& self = *current_;
    Call one{self.container_, false};
    if (!self.calls_.empty()) one = self.calls_.back();
    if (const auto owner = self.modules_.owner(call.inputs())) {
      one = {*owner, true};
      self.container_ = self.modules_.container(*owner);
    }
    self.calls_.push_back(one);
    return nullptr;
  }

  static void end(const at::RecordFunction& call, at::ObserverContext* /*context*/) {
    auto& self = *current_;
    const auto one = self.calls_.back();
    self.calls_.pop_back();
    if (self.calls_.empty() && self.found_.empty()) self.look(call, one);
  }

  void look(const at::RecordFunction& call, const Call& one) {
    const at::RecordFunctionGuard unwatched(/*is_enabled=*/false);
    const auto where = text_of(in_loss_ ? "the loss" : names_[one.module], " (", call.name(), ")");
    for (const auto& output : call.outputs()) {
      if (!output.isTensor() || !output.toTensor().defined()) continue;
      const auto tensor = output.toTensor();
      if (!tensor.is_floating_point()) continue;
      // Masks of a model are made of negative infinities, where no parameter takes part.
      const bool strict = one.has_parameters || in_loss_;
      const auto allowed = strict ? tensor.isfinite() : tensor.isfinite() | tensor.isneginf();
      if (!allowed.all().item<bool>()) {
        found_ = in_loss_ ? where : "the output of " + where;
        return;
      }
      if (!tensor.requires_grad()) continue;
      tensor.register_hook([this, where](const torch::Tensor& gradient) {
        const at::RecordFunctionGuard not_watched(/*is_enabled=*/false);
        if (found_.empty() && !gradient.isfinite().all().item<bool>()) {
          found_ = "the gradient of the output of " + where;
        }
      });
    }
  }

  static inline thread_local FiniteWatch* current_ = nullptr;

  ModuleMap modules_;
  std::vector<std::string> names_;
  std::vector<Call> calls_;  // not yet returned, outermost first
  std::size_t container_ = 0;
  bool in_loss_ = false;
  std::string found_;
  at::CallbackHandle handle_ = 0;
};

std::string parameter_not_finite(const Model& model, bool of_gradients) {
  for (const auto& [name, parameter] : unique_parameters(model)) {
    const auto& tensor = of_gradients ? parameter.grad() : parameter;
    if (tensor.defined() && !tensor.isfinite().all().item<bool>()) {
      return text_of(of_gradients ? "the gradient of " : "", "the parameter ", name);
    }
  }
  return "";
}

}  // namespace

std::string first_not_finite(Experiment& experiment, BatchSource& train, const Diverged& diverged) {
  auto& model = *experiment.model;
  if (auto parameter = parameter_not_finite(model, /*of_gradients=*/false); !parameter.empty()) {
    return parameter;
  }
  const auto accumulate = experiment.config.training.accumulate;
  const auto loss_of = [&](const Batch& batch) {
    return experiment.task->training_loss(model.forward(batch.inputs), batch);
  };
  restore_random_state(diverged.random, experiment.device, "the state before the step that failed");
  // What came before it drew random numbers as well.
  for (auto number = diverged.random_step * accumulate; number < diverged.step * accumulate;
       ++number) {
    loss_of(train.at(number));
  }
  for (const auto& [name, parameter] : unique_parameters(model)) {
    if (parameter.grad().defined()) parameter.grad().zero_();
  }
  for (std::int64_t i = 0; i < accumulate; ++i) {
    const auto batch = train.at(diverged.step * accumulate + i);
    FiniteWatch watch(model);
    const auto logits = model.forward(batch.inputs);
    watch.enter_loss();
    const auto loss = experiment.task->training_loss(logits, batch);
    (loss.sum.sum() / loss.count.sum()).backward();
    if (!watch.found().empty()) return watch.found();
  }
  return parameter_not_finite(model, /*of_gradients=*/true);
}

}  // namespace zoo
