#include "models/ngram.h"

#include <cmath>

#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "training/batch.h"

namespace zoo {
namespace {

DataFacts names_facts() {
  DataFacts facts;
  facts.vocab_size = 27;
  facts.boundary_id = 0;
  return facts;
}

/// "$name" as inputs and "name$" as targets.
std::pair<Inputs, torch::Tensor> line_of(const std::string& name) {
  std::vector<std::int64_t> ids = {0};
  for (const char c : name) ids.push_back(c - 'a' + 1);
  ids.push_back(0);
  const auto whole = torch::tensor(ids, torch::kInt64).unsqueeze(0);
  const auto T = whole.size(1) - 1;
  Inputs inputs;
  inputs.tokens = whole.narrow(1, 0, T);
  return {inputs, whole.narrow(1, 1, T)};
}

NgramImpl counted(const NgramOptions& options, const DataFacts& facts,
                  const std::vector<std::string>& names) {
  NgramImpl model(options, facts);
  for (const auto& name : names) {
    const auto [inputs, targets] = line_of(name);
    model.count(inputs, targets);
  }
  model.finish_counting();
  return model;
}

double probability(NgramImpl& model, const std::string& before, char next) {
  const auto [inputs, targets] = line_of(before);
  const auto id = next == '$' ? 0 : next - 'a' + 1;
  return std::exp(model.forward(inputs).index({0, -1, id}).item<double>());
}

const std::vector<std::string> kEightNames = {"sada", "john", "emma", "olivia",
                                              "liam", "noah", "ava",  "lucas"};

TEST_CASE("the counted bigram of eight names has the probabilities of the hand computation") {
  NgramOptions options;
  options.order = 2;
  options.alpha = 1.0;
  auto model = counted(options, names_facts(), kEightNames);
  // One of the eight starts with a: (1 + 1) / (8 + 27). The only j is followed by o: 2 / (1 + 27).
  CHECK(std::abs(probability(model, "", 'a') - 2.0 / 35.0) < 1e-7);
  CHECK(std::abs(probability(model, "j", 'o') - 2.0 / 28.0) < 1e-7);
  CHECK(model.distinct_grams() > 8);
}

TEST_CASE("every row of an n-gram model is a distribution, at each order and smoothing") {
  for (const std::int64_t order : {1, 2, 3, 5, 8}) {
    for (const bool interpolate : {false, true}) {
      NgramOptions options;
      options.order = order;
      options.alpha = 0.1;
      options.interpolate = interpolate;
      auto model = counted(options, names_facts(), kEightNames);
      const auto [inputs, targets] = line_of("zoe");
      const auto sums = model.forward(inputs).exp().sum(-1);
      CHECK(largest_difference(sums, torch::ones_like(sums)) < 1e-5);
    }
  }
}

TEST_CASE("interpolation follows Witten and Bell by hand") {
  NgramOptions options;
  options.order = 2;
  options.alpha = 0.0;
  options.interpolate = true;
  auto model = counted(options, names_facts(), {"ab", "ac"});
  // Counts: $a 2, ab 1, ac 1, b$ 1, c$ 1; unigrams a 2, b 1, c 1, $ 2 of 6.
  // After a: N = 2, T = 2, so P(b | a) = (1 + 2 * 1/6) / 4.
  CHECK(std::abs(probability(model, "a", 'b') - (1.0 + 2.0 / 6.0) / 4.0) < 1e-7);
  // z was never a context: the unigram alone.
  CHECK(std::abs(probability(model, "z", 'a') - 2.0 / 6.0) < 1e-7);
}

TEST_CASE("without smoothing an unseen token is impossible and an unseen context says nothing") {
  NgramOptions options;
  options.order = 2;
  options.alpha = 0.0;
  auto model = counted(options, names_facts(), {"ab"});
  CHECK(probability(model, "a", 'b') == 1.0);
  CHECK(probability(model, "a", 'c') == 0.0);
  CHECK(std::abs(probability(model, "z", 'c') - 1.0 / 27.0) < 1e-7);
}

TEST_CASE("prefixes and whole lines give an n-gram model the same answers") {
  NgramOptions options;
  options.order = 4;
  options.alpha = 0.1;
  auto model = counted(options, names_facts(), kEightNames);
  const auto [line, targets] = line_of("sadako");
  const auto whole = model.forward(line);
  for (std::int64_t length = 1; length <= line.tokens.size(1); ++length) {
    Inputs prefix;
    const auto kept = std::min<std::int64_t>(length, 5);
    prefix.tokens =
        torch::constant_pad_nd(line.tokens.narrow(1, length - kept, kept), {5 - kept, 0});
    prefix.lengths = torch::tensor({kept}, torch::kInt64);
    prefix.left_padded = true;
    CHECK(largest_difference(model.forward(prefix).select(1, -1), whole.select(1, length - 1)) <
          1e-6);
  }
}

TEST_CASE("running text has no boundary: where it begins the context is shorter") {
  DataFacts facts;
  facts.vocab_size = 5;
  Inputs inputs;
  inputs.tokens = torch::tensor({{1, 2, 3, 1, 2}}, torch::kInt64);
  const auto targets = torch::tensor({{2, 3, 1, 2, 4}}, torch::kInt64);
  NgramOptions options;
  options.order = 3;
  options.alpha = 0.0;
  NgramImpl model(options, facts);
  model.count(inputs, targets);
  model.finish_counting();
  const auto answers = model.forward(inputs).exp();
  CHECK(answers.index({0, 0, 2}).item<double>() == 1.0);  // after 1, as a bigram
  CHECK(answers.index({0, 1, 3}).item<double>() == 0.5);  // after 1 2 came 3 once ...
  CHECK(answers.index({0, 4, 4}).item<double>() == 0.5);  // ... and 4 once
  CHECK(answers.index({0, 2, 1}).item<double>() == 1.0);  // after 2 3 came 1
}

TEST_CASE("high orders of a large vocabulary overflow no key") {
  DataFacts facts;
  facts.vocab_size = 50000;
  facts.boundary_id = 0;
  Inputs inputs;
  inputs.tokens = torch::randint(50000, {4, 30}, torch::kInt64);
  const auto targets =
      torch::cat({inputs.tokens.narrow(1, 1, 29), torch::zeros({4, 1}, torch::kInt64)}, 1);
  NgramOptions options;
  options.order = 12;
  options.alpha = 0.0;
  NgramImpl model(options, facts);
  model.count(inputs, targets);
  model.finish_counting();
  const auto chosen = model.forward(inputs).gather(2, targets.unsqueeze(2));
  CHECK(largest_difference(chosen, torch::zeros_like(chosen)) < 1e-6);
}

TEST_CASE("padding and ignored targets are not counted") {
  NgramOptions options;
  options.order = 2;
  options.alpha = 0.0;
  NgramImpl model(options, names_facts());
  Inputs inputs;
  inputs.tokens = torch::tensor({{0, 1, 0, 0}}, torch::kInt64);
  inputs.lengths = torch::tensor({2}, torch::kInt64);
  model.count(inputs, torch::tensor({1L, 0L, kIgnored, kIgnored}).unsqueeze(0));
  model.finish_counting();
  CHECK(model.distinct_grams() == 2);
  CHECK(probability(model, "", 'a') == 1.0);
}

}  // namespace
}  // namespace zoo
