#include "models/blocks/attention.h"

#include <cmath>

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/json_file.h"
#include "models/blocks/feed_forward.h"
#include "models/blocks/kernel_functions.h"
#include "models/taps.h"
#include "tests/support/catch.h"
#include "tests/support/operator_watcher.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

torch::Tensor tensor_of(const nlohmann::json& json) {
  return torch::tensor(json.at("data").get<std::vector<double>>(), torch::kFloat64)
      .view(json.at("shape").get<std::vector<std::int64_t>>());
}

TEST_CASE("both attention paths equal an independent float64 computation") {
  const auto golden = read_json_file("tests/golden/attention.json");
  REQUIRE(golden.at("cases").size() == 4);
  for (const auto& item : golden.at("cases")) {
    INFO(item.at("name"));
    const auto q = tensor_of(item.at("query"));
    const auto k = tensor_of(item.at("key"));
    const auto v = tensor_of(item.at("value"));
    const AttentionMask mask{tensor_of(item.at("allowed")).to(torch::kBool), false};
    const auto result = explicit_attention(q, k, v, mask);
    CHECK(largest_difference(result.output, tensor_of(item.at("output"))) < 1e-12);
    CHECK(largest_difference(result.weights, tensor_of(item.at("weights"))) < 1e-12);
    CHECK(largest_difference(fused_attention(q, k, v, mask), tensor_of(item.at("output"))) < 1e-12);
  }
}

TEST_CASE("the explicit and the fused path agree in float32, outputs and gradients") {
  torch::manual_seed(1);
  for (const bool causal : {false, true}) {
    for (const bool padded : {false, true}) {
      AttentionMask mask{{}, causal};
      if (padded) mask.allowed = torch::tensor({1, 1, 1, 0, 0}).to(torch::kBool).view({1, 1, 1, 5});
      const auto q = torch::randn({2, 3, 5, 8}, torch::requires_grad());
      const auto k = torch::randn({2, 3, 5, 8}, torch::requires_grad());
      const auto v = torch::randn({2, 3, 5, 8}, torch::requires_grad());
      const auto one = explicit_attention(q, k, v, mask).output;
      const auto two = fused_attention(q, k, v, mask);
      CHECK(largest_difference(one, two) < 1e-6);
      const auto gradients_one = torch::autograd::grad({one.square().sum()}, {q, k, v});
      const auto gradients_two = torch::autograd::grad({two.square().sum()}, {q, k, v});
      for (std::size_t i = 0; i < 3; ++i) {
        CHECK(largest_difference(gradients_one[i], gradients_two[i]) < 1e-5);
      }
    }
  }
}

TEST_CASE(
    "a masked key has weight zero, rows sum to one, a fully masked row is zero on both paths") {
  torch::manual_seed(2);
  const auto q = torch::randn({1, 2, 3, 4}, torch::requires_grad());
  const auto k = torch::randn({1, 2, 3, 4});
  const auto v = torch::randn({1, 2, 3, 4});
  auto allowed = torch::ones({1, 1, 3, 3}, torch::kBool);
  allowed.index_put_({0, 0, 0, 2}, false);
  allowed.index_put_({0, 0, 1}, false);
  const AttentionMask mask{allowed, false};
  const auto [output, weights] = explicit_attention(q, k, v, mask);
  CHECK(weights.index({0, 0, 0, 2}).item<float>() == 0.0F);
  CHECK(std::abs(weights.index({0, 0, 0}).sum().item<float>() - 1.0F) < 1e-6F);
  CHECK(weights.index({0, 0, 1}).abs().sum().item<float>() == 0.0F);
  CHECK(output.index({0, 0, 1}).abs().sum().item<float>() == 0.0F);
  CHECK(fused_attention(q, k, v, mask).index({0, 0, 1}).abs().sum().item<float>() == 0.0F);
  CHECK(torch::autograd::grad({output.sum()}, {q})[0].isfinite().all().item<bool>());
}

TEST_CASE("attention stays finite for scores of ten thousand") {
  const auto q = torch::full({1, 1, 2, 4}, 100.0);
  const auto k = torch::tensor({200.0, -200.0}).view({1, 1, 2, 1}).expand({1, 1, 2, 4});
  const auto v = torch::tensor({1.0, 2.0}).view({1, 1, 2, 1}).expand({1, 1, 2, 4});
  for (const auto& output :
       {explicit_attention(q, k, v, {}).output, fused_attention(q, k, v, {})}) {
    CHECK(largest_difference(output, torch::ones_like(output)) < 1e-6);
  }
}

TEST_CASE("scaling keeps the variance of scores at one and the softmax from collapsing") {
  torch::manual_seed(3);
  constexpr std::int64_t kSize = 512;
  const auto q = torch::randn({4096, kSize});
  const auto k = torch::randn({4096, kSize});
  const auto products = (q * k).sum(1);
  CHECK(std::abs(products.var().item<double>() / kSize - 1.0) < 0.1);
  CHECK(std::abs((products / std::sqrt(kSize)).var().item<double>() - 1.0) < 0.1);

  const auto scores = torch::matmul(torch::randn({64, kSize}), torch::randn({kSize, 64}));
  const auto entropy = [](const torch::Tensor& logits) {
    return -(logits.softmax(-1) * logits.log_softmax(-1)).sum(-1).mean().item<double>();
  };
  CHECK(entropy(scores / std::sqrt(kSize)) > 3.0);
  CHECK(entropy(scores) < 0.5);
}

TEST_CASE("self-attention without positions is permutation-equivariant") {
  torch::manual_seed(4);
  SelfAttention attention(AttentionOptions{8, 2});
  attention->eval();
  const auto x = torch::randn({1, 5, 8});
  const auto order = torch::tensor({3, 0, 4, 1, 2});
  const auto moved = attention(x.index_select(1, order), AttentionMask{});
  CHECK(largest_difference(moved, attention(x, AttentionMask{}).index_select(1, order)) < 1e-6);
}

TEST_CASE("the kernels give what plain operators give, outputs and gradients") {
  torch::manual_seed(6);
  for (const bool causal : {false, true}) {
    for (const std::int64_t T : {1, 13, 64}) {
      SelfAttention attention(AttentionOptions{48, 3});
      FeedForward feed_forward(FeedForwardType::kGelu, 48, 100, true);
      const auto x = torch::randn({2, T, 48}, torch::requires_grad());
      auto inputs = attention->parameters();
      for (const auto& parameter : feed_forward->parameters()) inputs.push_back(parameter);
      inputs.push_back(x);
      const auto run = [&] {
        const auto y = feed_forward(attention(x, AttentionMask{{}, causal}));
        return std::pair{y, torch::autograd::grad({y.square().sum()}, inputs)};
      };
      REQUIRE(attention_kernel_serves(torch::zeros({2, T, 144}), 3));
      const auto [fast, fast_gradients] = run();
      const OperatorWatcher watcher;
      REQUIRE(!kernels_serve(x));
      const auto [plain, plain_gradients] = run();
      CHECK(largest_difference(fast, plain) < 1e-6);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        CHECK(largest_difference(fast_gradients[i], plain_gradients[i]) < 1e-4);
      }
    }
  }
}

TEST_CASE("unscaled attention is softmax(Q K^T) V, whatever computes it") {
  torch::manual_seed(8);
  AttentionOptions options{16, 2};
  SelfAttention scaled(options);
  options.scaled = false;
  SelfAttention unscaled(options);
  const auto x = torch::randn({2, 5, 16});
  const AttentionMask mask{{}, true};
  {
    // Queries that are sqrt(8) longer make scores of the scaled layer those of the other.
    const torch::NoGradGuard no_grad;
    for (const auto& item : unscaled->named_parameters()) {
      scaled->named_parameters()[item.key()].copy_(item.value());
    }
    auto parameters = scaled->named_parameters();
    parameters["qkv.weight"].narrow(0, 0, 16).mul_(std::sqrt(8.0));
    parameters["qkv.bias"].narrow(0, 0, 16).mul_(std::sqrt(8.0));
  }
  const auto expected = scaled(x, mask);
  CHECK(largest_difference(unscaled(x, mask), expected) < 1e-6);
  const TapListener listener([](const std::string&, const torch::Tensor&) {});
  CHECK(largest_difference(unscaled(x, mask), expected) < 1e-6);
}

TEST_CASE("a tap receives the weights of self-attention and changes no output") {
  torch::manual_seed(5);
  SelfAttention attention(AttentionOptions{16, 2});
  attention->eval();
  const auto x = torch::randn({2, 5, 16});
  const auto quiet = attention(x, AttentionMask{{}, true});
  torch::Tensor weights;
  torch::Tensor tapped;
  {
    const TapListener listener([&](const std::string& name, const torch::Tensor& value) {
      if (name == "attention.weights") weights = value;
    });
    tapped = attention(x, AttentionMask{{}, true});
  }
  CHECK(!tap_is_open());
  REQUIRE(weights.defined());
  CHECK(weights.sizes().vec() == std::vector<std::int64_t>{2, 2, 5, 5});
  CHECK(largest_difference(weights.sum(-1), torch::ones({2, 2, 5})) < 1e-6);
  CHECK(weights.triu(1).abs().sum().item<float>() == 0.0F);
  CHECK(largest_difference(tapped, quiet) < 1e-6);
}

}  // namespace
}  // namespace zoo
