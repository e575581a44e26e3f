#include "training/optimizer.h"

#include <cmath>

#include <torch/autograd.h>
#include <torch/optim/adamw.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "models/gpt.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "training/schedule.h"

namespace zoo {
namespace {

/// A tiny GPT, and the gradient that one fixed batch gives it.
struct Workbench {
  std::shared_ptr<GptImpl> model;
  Inputs inputs;

  Workbench() {
    torch::manual_seed(1);
    DataFacts facts;
    facts.vocab_size = 9;
    GptOptions options;
    options.d_model = 16;
    options.n_heads = 2;
    options.n_layers = 1;
    options.dropout = 0.0;
    model = std::make_shared<GptImpl>(options, facts);
    // Some gradients are zero but for rounding, and AdamW would make steps of that.
    model->to(torch::kFloat64);
    inputs.tokens = torch::randint(9, {4, 6}, torch::kInt64);
  }
  void backward() const { model->forward(inputs).square().sum().backward(); }
};

TEST_CASE("AdamW on flat buffers equals LibTorch's own, decay on matrices only") {
  const Workbench ours;
  const Workbench reference;
  OptimizerOptions options;
  options.learning_rate = 1e-2;
  options.weight_decay = 0.3;
  Optimizer optimizer(*ours.model, options);

  std::vector<torch::Tensor> matrices;
  std::vector<torch::Tensor> others;
  for (const auto& [name, p] : unique_parameters(*reference.model)) {
    (p.dim() >= 2 ? matrices : others).push_back(p);
  }
  const auto group = [](double decay) {
    return torch::optim::AdamWOptions(1e-2).betas({0.9, 0.99}).eps(1e-8).weight_decay(decay);
  };
  torch::optim::AdamW with_decay(matrices, group(0.3));
  torch::optim::AdamW without(others, group(0.0));
  for (int step = 0; step < 5; ++step) {
    optimizer.zero_grad();
    ours.backward();
    optimizer.step(options.learning_rate);
    with_decay.zero_grad();
    without.zero_grad();
    reference.backward();
    with_decay.step();
    without.step();
  }
  const auto expected = reference.model->named_parameters();
  for (const auto& item : ours.model->named_parameters()) {
    INFO(item.key());
    CHECK(largest_difference(item.value(), expected[item.key()]) < 1e-5);
  }
}

TEST_CASE("SGD with momentum equals the hand computation") {
  const Workbench bench;
  OptimizerOptions options;
  options.type = OptimizerType::kSgd;
  options.weight_decay = 0.0;
  options.momentum = 0.5;
  Optimizer optimizer(*bench.model, options);
  const auto weight = bench.model->named_parameters()["norm.weight"];
  auto expected = weight.detach().clone();
  auto velocity = torch::zeros_like(expected);
  for (int step = 0; step < 3; ++step) {
    optimizer.zero_grad();
    bench.backward();
    velocity = velocity * 0.5 + weight.grad();
    expected = expected - 0.01 * velocity;
    optimizer.step(0.01);
    CHECK(largest_difference(weight, expected) < 1e-5);
  }
}

TEST_CASE("clipping scales the step as if the gradients had the largest norm allowed") {
  for (const auto type : {OptimizerType::kAdamW, OptimizerType::kSgd}) {
    const Workbench clipped;
    const Workbench scaled;
    OptimizerOptions options;
    options.type = type;
    Optimizer one(*clipped.model, options);
    Optimizer two(*scaled.model, options);
    one.zero_grad();
    two.zero_grad();
    clipped.backward();
    scaled.backward();
    const auto norm = one.clip(0.25);
    CHECK(norm.item<double>() > 0.25);
    const torch::NoGradGuard no_grad;
    for (auto& parameter : scaled.model->parameters()) parameter.mutable_grad().mul_(0.25 / norm);
    one.step(1e-2);
    two.step(1e-2);
    const auto expected = scaled.model->named_parameters();
    for (const auto& item : clipped.model->named_parameters()) {
      CHECK(largest_difference(item.value(), expected[item.key()]) < 1e-6);
    }
  }
}

TEST_CASE("parameters and gradients are views of two flat buffers, and state is keyed by name") {
  const Workbench bench;
  OptimizerOptions options;
  const Optimizer optimizer(*bench.model, options);
  const auto parameters = unique_parameters(*bench.model);
  const auto* parameter_storage = parameters[0].second.storage().unsafeGetStorageImpl();
  const auto* gradient_storage = parameters[0].second.grad().storage().unsafeGetStorageImpl();
  for (const auto& [name, parameter] : parameters) {
    CHECK(parameter.storage().unsafeGetStorageImpl() == parameter_storage);
    CHECK(parameter.grad().storage().unsafeGetStorageImpl() == gradient_storage);
    CHECK(parameter.is_contiguous());
  }
  const auto state = optimizer.state();
  CHECK(state.size() == 2 * parameters.size() + 1);
  const auto named = [&](const std::string& name) {
    return std::any_of(state.begin(), state.end(),
                       [&](const auto& item) { return item.first == name; });
  };
  CHECK(named("exp_avg.embedding.weight"));
  CHECK(named("exp_avg_sq.block_0.attention.qkv.bias"));
}

TEST_CASE("schedules are what their names say") {
  ScheduleOptions options;
  options.warmup_steps = 10;
  options.decay_steps = 110;
  options.final_ratio = 0.1;
  const auto rate = [&](ScheduleType type, std::int64_t step) {
    options.type = type;
    return Schedule(options, 2.0)(step);
  };
  const auto near = [](double a, double b) { return std::abs(a - b) < 1e-9; };
  for (const auto& [name, type] : names_of(ScheduleType{})) {
    INFO(name);
    CHECK(near(rate(type, 0), 0.2));
    CHECK(near(rate(type, 9), 2.0));
  }
  CHECK(near(rate(ScheduleType::kConstant, 5000), 2.0));
  CHECK(near(rate(ScheduleType::kLinear, 60), 0.2 + 1.8 * 0.5));
  CHECK(near(rate(ScheduleType::kCosine, 60), 0.2 + 1.8 * 0.5));
  CHECK(near(rate(ScheduleType::kCosine, 110), 0.2));
  CHECK(near(rate(ScheduleType::kCosine, 100000), 0.2));
  CHECK(near(rate(ScheduleType::kInverseSquareRoot, 39), 1.0));
  CHECK(near(rate(ScheduleType::kWarmupStableDecay, 87), 2.0));
  CHECK(near(rate(ScheduleType::kWarmupStableDecay, 99), 0.2 + 1.8 * 0.5));
  CHECK(near(rate(ScheduleType::kWarmupStableDecay, 110), 0.2));
}

}  // namespace
}  // namespace zoo
