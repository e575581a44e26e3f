#include "analysis/cost.h"

#include <cstdlib>
#include <functional>

#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/nn/modules/rnn.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "analysis/op_flops.h"
#include "core/errors.h"
#include "models/model.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t T = 6, V = 11, d = 8;

/// A model made of a function of the embedded tokens, x [B, T, d] -> [B, T, any].
struct Probe : Model {
  nn::Embedding embedding{nullptr};
  nn::Linear head{nullptr};
  std::function<torch::Tensor(const torch::Tensor&)> body;

  Probe() {
    embedding = register_module("embedding", nn::Embedding(V, d));
    head = register_module("head", nn::Linear(d, V));
  }
  torch::Tensor forward(const Inputs& inputs) override {
    const auto x = embedding(inputs.tokens);
    return head(body ? body(x) : x);
  }
};

Inputs rows(std::int64_t count, std::int64_t length = T, std::int64_t vocab_size = V) {
  Inputs inputs;
  inputs.tokens = torch::arange(count * length).view({count, length}).remainder(vocab_size);
  return inputs;
}

const ModuleCost& row_of(const Cost& cost, const std::string& name) {
  for (const auto& row : cost.modules) {
    if (row.name == name) return row;
  }
  throw std::out_of_range("no module " + name);
}

constexpr std::int64_t kHead = 2 * T * d * V;

struct AttentionImpl : nn::Module {
  AttentionImpl(bool fused_kernel, double dropout_share) : fused(fused_kernel), p(dropout_share) {
    qkv = register_module("qkv", nn::Linear(nn::LinearOptions(d, 3 * d).bias(false)));
    output = register_module("output", nn::Linear(d, d));
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const auto parts = qkv(x).view({x.size(0), x.size(1), 3, 2, d / 2}).permute({2, 0, 3, 1, 4});
    const auto q = parts[0], k = parts[1], v = parts[2];  // [B, 2, T, d / 2]
    torch::Tensor mixed;
    if (fused) {
      mixed = at::scaled_dot_product_attention(q, k, v, {}, is_training() ? p : 0.0, true);
    } else {
      mixed = q.matmul(k.transpose(-2, -1)).softmax(-1).matmul(v);
    }
    return output(mixed.transpose(1, 2).reshape({x.size(0), x.size(1), d}));
  }
  bool fused;
  double p;
  nn::Linear qkv{nullptr}, output{nullptr};
};
TORCH_MODULE(Attention);

struct BlockImpl : nn::Module {
  BlockImpl(bool fused, double p) {
    norm = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({d})));
    attention = register_module("attention", Attention(fused, p));
  }
  torch::Tensor forward(const torch::Tensor& x) { return x + attention(norm(x)); }
  nn::LayerNorm norm{nullptr};
  Attention attention{nullptr};
};
TORCH_MODULE(Block);

std::shared_ptr<Probe> probe_with_block(bool fused, double p = 0) {
  auto model = std::make_shared<Probe>();
  Block block(fused, p);
  model->register_module("block", block);
  model->body = [block](const torch::Tensor& x) mutable { return block(x); };
  return model;
}

TEST_CASE("a linear layer costs two FLOPs per multiply-add and a look-up none") {
  const auto probe = std::make_shared<Probe>();
  const auto cost = measure_cost(*probe, rows(1), rows(3));
  CHECK(cost.flops_forward == kHead);
  CHECK(row_of(cost, "head").flops_forward == kHead);
  CHECK(row_of(cost, "embedding").flops_forward == 0);
  CHECK(cost.flops_training == 3 * kHead);
  CHECK(cost.parameters == V * d + d * V + V);
}

TEST_CASE("every module is listed with its kind and its own parameters") {
  const auto cost = measure_cost(*probe_with_block(true), rows(1), rows(1));
  std::vector<std::string> names, kinds;
  for (const auto& row : cost.modules) {
    names.push_back(row.name);
    kinds.push_back(row.kind);
  }
  CHECK(names == std::vector<std::string>{"", "embedding", "head", "block", "block.norm",
                                          "block.attention", "block.attention.qkv",
                                          "block.attention.output"});
  CHECK(kinds == std::vector<std::string>{"Probe", "Embedding", "Linear", "Block", "LayerNorm",
                                          "Attention", "Linear", "Linear"});
  const auto& output = row_of(cost, "block.attention.output");
  REQUIRE(output.parameters.size() == 2);
  CHECK(output.parameters[0].first == "weight");
  CHECK(output.parameters[0].second == std::vector<std::int64_t>{d, d});
  CHECK(output.parameter_count == d * d + d);
  CHECK(row_of(cost, "block.attention").parameters.empty());
}

TEST_CASE("attention counts each product once, in its own module, however it is computed") {
  const bool fused = GENERATE(true, false);
  const double p = GENERATE(0.0, 0.5);
  const auto cost = measure_cost(*probe_with_block(fused, p), rows(1), rows(2));
  CHECK(row_of(cost, "block.attention.qkv").flops_forward == 2 * T * d * 3 * d);
  CHECK(row_of(cost, "block.attention").flops_forward == 2 * 2 * T * T * d);
  CHECK(row_of(cost, "block.attention.output").flops_forward == 2 * T * d * d);
  CHECK(row_of(cost, "block").flops_forward == 0);
  // S17, in multiply-adds: 4 T d^2 + 2 T^2 d.
  CHECK(cost.flops_forward == 2 * (4 * T * d * d + 2 * T * T * d) + kHead);
  CHECK(cost.flops_training == 3 * cost.flops_forward);
}

/// An output head that registers the embedding's weight again, beside a bias of its own.
struct TiedProbe : Model {
  nn::Embedding embedding = register_module("embedding", nn::Embedding(V, d));
  std::shared_ptr<nn::Module> head = register_module("head", std::make_shared<nn::Module>("Head"));

  TiedProbe() {
    head->register_parameter("weight", embedding->weight);
    head->register_parameter("bias", torch::zeros({V}));
  }
  torch::Tensor forward(const Inputs& inputs) override {
    return at::linear(embedding(inputs.tokens), embedding->weight,
                      head->named_parameters()["bias"]);
  }
};

TEST_CASE("a tied tensor counts once and its product belongs to the first owner") {
  const auto model = std::make_shared<TiedProbe>();
  const auto cost = measure_cost(*model, rows(1), rows(1));
  CHECK(cost.parameters == V * d + V);
  CHECK(row_of(cost, "head").parameters.size() == 2);
  CHECK(row_of(cost, "head").parameter_count == V);
  CHECK(row_of(cost, "embedding").flops_forward == kHead);
  CHECK(row_of(cost, "head").flops_forward == 0);
  CHECK(cost.lasting_bytes() == 4 * 4 * cost.parameters);
  CHECK(row_of(cost, "head").lasting_bytes == 4 * 4 * V);
}

TEST_CASE("parameters that share one flat storage keep their owners") {
  const auto model = probe_with_block(false);
  const auto before = measure_cost(*model, rows(1), rows(1));
  const auto flat = torch::empty({before.parameters});
  std::int64_t offset = 0;
  for (auto& parameter : model->parameters()) {
    const auto part = flat.narrow(0, offset, parameter.numel()).view(parameter.sizes());
    part.copy_(parameter.detach());
    parameter.set_data(part);
    offset += parameter.numel();
  }
  const auto after = measure_cost(*model, rows(1), rows(1));
  REQUIRE(after.modules.size() == before.modules.size());
  for (std::size_t index = 0; index < after.modules.size(); ++index) {
    CHECK(after.modules[index].flops_forward == before.modules[index].flops_forward);
  }
  CHECK(after.memory_bytes == before.memory_bytes);
}

TEST_CASE("a convolution counts every output position once, forward and backward") {
  const auto model = std::make_shared<Probe>();
  nn::Conv1d wide(nn::Conv1dOptions(d, d, 3).stride(2).padding(1).groups(2));
  nn::ConvTranspose1d back(nn::ConvTranspose1dOptions(d, d, 2).stride(2));
  model->register_module("wide", wide);
  model->register_module("back", back);
  model->body = [=](const torch::Tensor& x) mutable {
    return back(wide(x.transpose(1, 2))).transpose(1, 2);  // [B, T, d]
  };
  const auto cost = measure_cost(*model, rows(1), rows(2));
  const std::int64_t halved = T / 2;
  CHECK(row_of(cost, "wide").flops_forward == 2 * halved * d * (d / 2) * 3);
  CHECK(row_of(cost, "back").flops_forward == 2 * halved * d * d * 2);
  CHECK(cost.flops_training == 3 * cost.flops_forward);
}

TEST_CASE("recurrent layers count each weight once per token") {
  const auto model = std::make_shared<Probe>();
  nn::LSTM lstm(nn::LSTMOptions(d, d).num_layers(2).batch_first(true));
  nn::GRU gru(nn::GRUOptions(d, d).batch_first(true));
  nn::RNN rnn(nn::RNNOptions(d, d).batch_first(true));
  model->register_module("lstm", lstm);
  model->register_module("gru", gru);
  model->register_module("rnn", rnn);
  model->body = [=](const torch::Tensor& x) mutable {
    const auto y = std::get<0>(gru(std::get<0>(lstm(x))));
    return std::get<0>(rnn(y));
  };
  const auto cost = measure_cost(*model, rows(1), rows(2));
  CHECK(row_of(cost, "lstm").flops_forward == 2 * T * 2 * (4 * d * 2 * d));
  CHECK(row_of(cost, "gru").flops_forward == 2 * T * (3 * d * 2 * d));
  CHECK(row_of(cost, "rnn").flops_forward == 2 * T * (d * 2 * d));
}

TEST_CASE("matrix products of every spelling are counted alike") {
  const auto model = std::make_shared<Probe>();
  const auto square = torch::ones({d, d});
  model->body = [=](const torch::Tensor& x) {
    auto y = at::linear(x, square);
    y = torch::einsum("btd,de->bte", {y, square});
    y = torch::baddbmm(y, y, square.expand({x.size(0), d, d}));
    const auto row = torch::mv(square, square[0]).unsqueeze(0);
    return y.addcmul(torch::addmm(row, row, square), row);
  };
  const auto cost = measure_cost(*model, rows(1), rows(1));
  CHECK(cost.flops_forward == 3 * 2 * T * d * d + 2 * 2 * d * d + kHead);
}

TEST_CASE("training holds activations, gradients and two moments") {
  const auto model = std::make_shared<Probe>();
  const auto small = measure_cost(*model, rows(1), rows(1, 512));
  const auto large = measure_cost(*model, rows(1), rows(4, 512));
  CHECK(small.memory_bytes ==
        small.activation_bytes + small.batch_bytes + 4 * 4 * small.parameters);
  // The embedded tokens and logits are kept; log-probabilities and a gradient of logits join them.
  const std::int64_t kept = 512 * (d + V) * 4;
  CHECK(row_of(small, "embedding").activation_bytes == 512 * d * 4);
  CHECK(row_of(small, "head").activation_bytes == 512 * V * 4);
  CHECK(small.activation_bytes >= kept + 2 * 512 * V * 4);
  CHECK(small.activation_bytes <= kept + 4 * 512 * (d + V) * 4);
  CHECK(large.activation_bytes > 3 * small.activation_bytes);
  CHECK(large.activation_bytes < 4 * small.activation_bytes + 4 * 4 * small.parameters);
}

std::int64_t lasting_bytes_of(const Cost& cost) {
  std::int64_t sum = 0;
  for (const auto& row : cost.modules) sum += row.lasting_bytes;
  return sum;
}

TEST_CASE("memory is the sum of its parts, and each optimizer has its moments") {
  const auto model = std::make_shared<Probe>();
  model->register_module("norm", nn::BatchNorm1d{nn::BatchNorm1dOptions(d)});
  const auto adamw = measure_cost(*model, rows(1), rows(64), OptimizerType::kAdamW);
  const auto sgd = measure_cost(*model, rows(64), OptimizerType::kSgd);
  for (const auto* cost : {&adamw, &sgd}) {
    CHECK(cost->parameter_bytes == 4 * cost->parameters);
    CHECK(cost->gradient_bytes == cost->parameter_bytes);
    CHECK(cost->buffer_bytes == 2 * d * 4 + 8);
    CHECK(cost->batch_bytes == 64 * T * 8);
    CHECK(cost->kept_bytes < cost->activation_bytes);
    CHECK(cost->lasting_bytes() == lasting_bytes_of(*cost));
    CHECK(cost->memory_bytes ==
          lasting_bytes_of(*cost) + cost->batch_bytes + cost->activation_bytes);
  }
  CHECK(adamw.optimizer_bytes == 2 * adamw.parameter_bytes);
  CHECK(sgd.optimizer_bytes == sgd.parameter_bytes);
  CHECK(row_of(adamw, "head").lasting_bytes == 4 * 4 * (d * V + V));
  CHECK(row_of(sgd, "norm").lasting_bytes == 3 * 4 * 2 * d + 2 * d * 4 + 8);
  CHECK(sgd.flops_forward == adamw.flops_forward);
}

TEST_CASE("measuring leaves the model as it was") {
  const auto model = std::make_shared<Probe>();
  nn::BatchNorm1d norm{nn::BatchNorm1dOptions(d)};
  nn::Dropout dropout{nn::DropoutOptions(0.5)};
  model->register_module("norm", norm);
  model->register_module("dropout", dropout);
  model->body = [=](const torch::Tensor& x) mutable {
    return dropout(norm(x.transpose(1, 2))).transpose(1, 2);
  };
  norm->eval();
  model->head->weight.mutable_grad() = torch::ones({V, d});
  torch::manual_seed(3);
  const auto expected = torch::rand({4});
  torch::manual_seed(3);
  measure_cost(*model, rows(1), rows(2));
  CHECK(torch::equal(torch::rand({4}), expected));
  CHECK(model->is_training());
  CHECK(dropout->is_training());
  CHECK_FALSE(norm->is_training());
  CHECK(torch::equal(model->head->weight.grad(), torch::ones({V, d})));
  CHECK_FALSE(model->embedding->weight.grad().defined());
  CHECK(torch::equal(norm->running_mean, torch::zeros({d})));
  CHECK(norm->num_batches_tracked.item<std::int64_t>() == 0);
}

TEST_CASE("a failing forward is passed on and nothing stays behind") {
  const auto model = std::make_shared<Probe>();
  model->body = [](const torch::Tensor&) -> torch::Tensor { throw ShapeError("as asked"); };
  REQUIRE_THROWS_AS(measure_cost(*model, rows(1), rows(2)), ShapeError);
  CHECK(model->is_training());
  model->body = nullptr;
  CHECK(measure_cost(*model, rows(1), rows(2)).flops_forward == kHead);
}

struct Table : Model {
  torch::Tensor counts = register_buffer("counts", torch::ones({V, V}));
  torch::Tensor forward(const Inputs& inputs) override {
    return counts.index({inputs.tokens}).log();
  }
};

TEST_CASE("a model of buffers only has no parameters and no backward") {
  const auto cost = measure_cost(*std::make_shared<Table>(), rows(1), rows(2));
  CHECK(cost.parameters == 0);
  CHECK(cost.flops_forward == 0);
  CHECK(cost.flops_training == 0);
  CHECK(cost.activation_bytes >= 2 * T * V * 4);
  CHECK(cost.memory_bytes == cost.activation_bytes + cost.batch_bytes + V * V * 4);
}

TEST_CASE("an operator that is no product has no FLOPs") {
  const std::vector<c10::IValue> inputs = {torch::ones({2, 3}), torch::ones({3, 4})};
  const c10::ArrayRef<const c10::IValue> arguments(inputs.data(), inputs.size());
  CHECK(op_flops("aten::mm", arguments) == 2 * 2 * 3 * 4);
  CHECK_FALSE(op_flops("aten::mul", arguments).has_value());
}

TEST_CASE("GPT-2 small costs what is published", "[slow][gpt2]") {
  const nlohmann::json options = {{"d_model", 768},     {"n_heads", 12}, {"n_layers", 12},
                                  {"block_size", 1024}, {"bias", false}, {"dropout", 0}};
  DataFacts facts;
  facts.vocab_size = 50257;
  const auto model = find_architecture("gpt").build(options, facts);
  const auto cost = measure_cost(*model, rows(1, 1024, 50257), rows(1, 1024, 50257));
  CHECK(cost.parameters == 124'337'664);
  CHECK(cost.flops_forward == 291'648'307'200);
  CHECK(cost.flops_training == 3 * cost.flops_forward);
  std::int64_t attentions = 0;
  for (const auto& row : cost.modules) {
    if (row.kind != "SelfAttention") continue;
    CHECK(row.flops_forward == std::int64_t{4} * 1024 * 1024 * 768);  // Q K^T and A V
    ++attentions;
  }
  CHECK(attentions == 12);
}

}  // namespace
}  // namespace zoo
