// Models that are sequential or local: rnn and cnn.
#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "models/blocks/recurrence.h"
#include "models/cnn.h"
#include "models/rnn.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

DataFacts facts_of_vocabulary(std::int64_t vocab_size) {
  DataFacts facts;
  facts.vocab_size = vocab_size;
  return facts;
}

TEST_CASE("a plain recurrence is h = tanh(W x + b + U h' + c)") {
  torch::manual_seed(1);
  Recurrence cells(CellType::kRnn, 3, 4, 1, 0.0);
  const auto p = cells->named_parameters();
  const auto x = torch::randn({2, 3, 3});
  RecurrentState state;
  const auto found = cells->forward(x, state);
  auto h = torch::zeros({2, 4});
  for (std::int64_t t = 0; t < 3; ++t) {
    h = (torch::linear(x.select(1, t), p["rnn.weight_ih_l0"], p["rnn.bias_ih_l0"]) +
         torch::linear(h, p["rnn.weight_hh_l0"], p["rnn.bias_hh_l0"]))
            .tanh();
    CHECK(largest_difference(found.select(1, t), h) < 1e-6);
  }
  CHECK(largest_difference(state.hidden[0], h) < 1e-6);
}

TEST_CASE("a recurrence that goes on from its state says what one that never stopped does") {
  torch::manual_seed(2);
  for (const auto type : {CellType::kRnn, CellType::kLstm, CellType::kGru}) {
    INFO(name_of(type));
    Recurrence cells(type, 3, 4, 2, 0.0);
    const auto x = torch::randn({2, 5, 3});
    RecurrentState whole, parts;
    const auto expected = cells->forward(x, whole);
    const auto first = cells->forward(x.narrow(1, 0, 2), parts);
    parts.select_rows(torch::tensor({1, 0}, torch::kInt64));
    const auto second = cells->forward(x.flip(0).narrow(1, 2, 3), parts);
    CHECK(largest_difference(first, expected.narrow(1, 0, 2)) < 1e-6);
    CHECK(largest_difference(second.flip(0), expected.narrow(1, 2, 3)) < 1e-6);
  }
}

TEST_CASE("a convolution sees exactly as far back as its kernels and dilations reach") {
  torch::manual_seed(3);
  CnnOptions options;
  options.d_model = 8;
  options.n_layers = 4;
  options.dilation_cycle = 3;  // dilations 1, 2, 4, 1: the last 1 + 8 tokens
  options.dropout = 0.0;
  CnnImpl model(options, facts_of_vocabulary(20));
  Inputs inputs;
  inputs.tokens = torch::arange(12).unsqueeze(0);
  const auto logit = model.forward(inputs).index({0, 11, 5});
  const auto gradient = torch::autograd::grad({logit}, {model.token_embedding()})[0];
  for (std::int64_t t = 0; t < 12; ++t) {
    INFO("token " << t);
    CHECK((gradient[t].abs().max().item<double>() > 0.0) == (t >= 3));
  }
}

TEST_CASE("the class of a row is read from its real tokens") {
  torch::manual_seed(4);
  const torch::NoGradGuard no_grad;
  auto facts = facts_of_vocabulary(9);
  facts.classes = 2;
  RnnImpl rnn(RnnOptions{}, facts);
  CnnImpl cnn(CnnOptions{}, facts);
  for (Model* model : {static_cast<Model*>(&rnn), static_cast<Model*>(&cnn)}) {
    model->eval();
    Inputs inputs;
    inputs.tokens = torch::tensor({{1, 2, 3, 4, 0, 0}}, torch::kInt64);
    inputs.lengths = torch::tensor({4}, torch::kInt64);
    const auto padded = model->forward(inputs);
    inputs.tokens = inputs.tokens.narrow(1, 0, 4);
    inputs.lengths = torch::Tensor();
    CHECK(largest_difference(model->forward(inputs), padded) < 1e-6);
    inputs.tokens = torch::tensor({{1, 2, 3, 8}}, torch::kInt64);
    CHECK(largest_difference(model->forward(inputs), padded) > 1e-6);
  }
}

}  // namespace
}  // namespace zoo
