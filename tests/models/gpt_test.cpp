#include "models/gpt.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

DataFacts facts_of_vocabulary(std::int64_t vocab_size) {
  DataFacts facts;
  facts.vocab_size = vocab_size;
  facts.boundary_id = 0;
  return facts;
}

TEST_CASE("a GPT has the parameters that its published siblings have") {
  GptOptions options;
  CHECK(parameter_count(GptImpl(options, facts_of_vocabulary(27))) ==
        27 * 64 + 16 * 64 + 4 * (12 * 64 * 64 + 13 * 64) + 2 * 64);
  options.block_size = 64;
  options.d_model = 128;
  options.bias = false;
  // nanoGPT's CPU setting: 0.80 M, without positions 0.79 M.
  CHECK(parameter_count(GptImpl(options, facts_of_vocabulary(65))) ==
        65 * 128 + 64 * 128 + 4 * (12 * 128 * 128 + 2 * 128) + 128);
}

TEST_CASE(
    "GPT-2's initialisation: 0.02, residual projections by sqrt(2 layers) less, biases zero") {
  torch::manual_seed(1);
  GptOptions options;
  options.d_model = 128;
  const GptImpl model(options, facts_of_vocabulary(65));
  for (const auto& item : model.named_parameters()) {
    INFO(item.key());
    const auto& name = item.key();
    if (name.ends_with("bias")) {
      CHECK(item.value().abs().sum().item<double>() == 0.0);
    } else if (name.find("norm") == std::string::npos) {
      const bool residual =
          name.find("proj.") != std::string::npos || name.find("down.") != std::string::npos;
      const auto expected = residual ? 0.02 / std::sqrt(8.0) : 0.02;
      CHECK(std::abs(item.value().std().item<double>() / expected - 1.0) < 0.06);
    }
  }
}

TEST_CASE(
    "the gradient of a logit with respect to the embedding of a later token is exactly zero") {
  torch::manual_seed(2);
  GptOptions options;
  options.dropout = 0.0;
  GptImpl model(options, facts_of_vocabulary(27));
  Inputs inputs;
  inputs.tokens = torch::tensor({{1, 2, 3, 4, 5, 6}}, torch::kInt64);
  const auto table = model.token_embedding();
  // Token t + 1 stands at position t alone; the tied head is kept out by looking at one logit.
  for (std::int64_t t = 0; t < 5; ++t) {
    const auto logit = model.forward(inputs).index({0, t, 20});
    const auto gradient = torch::autograd::grad({logit}, {table})[0];  // [V, C]
    for (std::int64_t later = t + 1; later < 6; ++later) {
      CHECK(gradient[later + 1].abs().max().item<double>() == 0.0);
    }
    CHECK(gradient[t + 1].abs().max().item<double>() > 0.0);
  }
}

TEST_CASE("a left-padded prefix has the same answer as the whole line at its last position") {
  torch::manual_seed(3);
  const torch::NoGradGuard no_grad;
  for (const auto type : {PositionType::kLearned, PositionType::kSinusoidal, PositionType::kRotary,
                          PositionType::kNone}) {
    GptOptions options;
    options.block_size = 8;
    options.positions = type;
    GptImpl model(options, facts_of_vocabulary(27));
    model.eval();
    Inputs line;
    line.tokens = torch::tensor({{0, 19, 1, 4, 1}}, torch::kInt64);
    const auto whole = model.forward(line);
    for (std::int64_t length = 1; length <= 5; ++length) {
      Inputs prefix;
      prefix.tokens = torch::constant_pad_nd(line.tokens.narrow(1, 0, length), {8 - length, 0});
      prefix.lengths = torch::tensor({length}, torch::kInt64);
      prefix.left_padded = true;
      const auto last = model.forward(prefix).select(1, -1);
      CHECK(largest_difference(last, whole.select(1, length - 1)) < 1e-5);
    }
  }
}

TEST_CASE("batch norm in a GPT leaves right padding out of its statistics") {
  torch::manual_seed(4);
  GptOptions options;
  options.norm = NormType::kBatch;
  options.dropout = 0.0;
  GptImpl model(options, facts_of_vocabulary(27));
  Inputs inputs;
  inputs.tokens = torch::tensor({{1, 2, 3, 0, 0}, {4, 5, 6, 7, 8}}, torch::kInt64);
  inputs.lengths = torch::tensor({3, 5}, torch::kInt64);
  const auto one = model.forward(inputs);
  inputs.tokens = inputs.tokens.clone();
  inputs.tokens[0].narrow(0, 3, 2).fill_(20);
  const auto two = model.forward(inputs);
  CHECK(largest_difference(one.index({0, torch::indexing::Slice(0, 3)}),
                           two.index({0, torch::indexing::Slice(0, 3)})) < 1e-6);
  CHECK(largest_difference(one[1], two[1]) < 1e-6);
}

TEST_CASE("impossible GPT options are refused with a value that would do") {
  const nlohmann::json options = {{"d_model", 64}, {"n_heads", 3}};
  CHECK_THROWS_WITH(read_options<GptOptions>(options, "model"),
                    ContainsSubstring("model.n_heads: 3 does not divide d_model 64; try 2"));
  for (const auto& [key, value] :
       {std::pair{"block_size", 0.0}, {"dropout", 1.0}, {"dropout", -0.1}, {"n_layers", 0.0}}) {
    nlohmann::json bad = nlohmann::json::object();
    bad[key] = std::string(key) == "dropout" ? nlohmann::json(value)
                                             : nlohmann::json(static_cast<std::int64_t>(value));
    CHECK_THROWS_WITH(read_options<GptOptions>(bad, "model"),
                      ContainsSubstring(std::string("model.") + key));
  }
}

/// Logits of one token after the other, with the block full from the fifth on.
std::vector<torch::Tensor> written(GptImpl& model, FullBlock full_block) {
  const torch::NoGradGuard no_grad;
  const auto decoding = model.start({}, full_block);
  std::vector<torch::Tensor> logits;
  for (std::int64_t i = 0; i < 150; ++i) {
    logits.push_back(decoding->step(torch::tensor({i % 7, (i * i) % 5}, torch::kInt64)));
  }
  return logits;
}

TEST_CASE("rows slide past the block with rotary positions, as far as they like") {
  for (const auto positions : {PositionType::kRotary, PositionType::kNone}) {
    for (const std::int64_t n_layers : {1, 2}) {
      torch::manual_seed(1);
      GptOptions options;
      options.block_size = 5;
      options.d_model = 16;
      options.n_heads = 2;
      options.n_layers = n_layers;
      options.positions = positions;
      GptImpl model(options, facts_of_vocabulary(7));
      for (auto& parameter : model.parameters()) parameter.data().mul_(5.0);
      model.eval();
      const auto slid = written(model, FullBlock::kSlide);
      const auto reread = written(model, FullBlock::kReread);
      double most = 0.0;
      for (std::size_t i = 0; i < slid.size(); ++i) {
        const auto difference = largest_difference(slid[i], reread[i]);
        if (i < 5) CHECK(difference < 1e-5);
        most = std::max(most, difference);
      }
      // Keys and values of a first layer depend on their own token alone; those of a second saw
      // what has been forgotten.
      CHECK((most < 1e-4) == (n_layers == 1));
    }
  }
  const GptOptions learned;
  GptImpl model(learned, facts_of_vocabulary(7));
  CHECK_THROWS_WITH(model.start({}, FullBlock::kSlide),
                    ContainsSubstring("rotary or none, they are learned"));
}

}  // namespace
}  // namespace zoo
