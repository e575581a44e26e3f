#include "inference/generation.h"

#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <vector>

#include <ATen/Context.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Prompts = std::vector<Ids>;

constexpr std::int64_t kBoundary = 0;
const DataFacts kLines{6, kBoundary};
const DataFacts kRunningText{6, -1};

torch::Tensor copy_of(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.clone() : tensor;
}

/// Knows the next token's logits from the last token alone, and remembers what it was shown.
class TableModel : public Model {
 public:
  explicit TableModel(torch::Tensor table) : table_(std::move(table)) {
    register_buffer("table", table_);
  }

  /// tokens [B, T] -> logits [B, T, V], or [B, V] where `last_only`
  torch::Tensor forward(const Inputs& inputs) override {
    auto& seen = shown.emplace_back();
    seen.tokens = copy_of(inputs.tokens);
    seen.lengths = copy_of(inputs.lengths);
    seen.left_padded = inputs.left_padded;
    saw_gradients = saw_gradients || torch::GradMode::is_enabled();
    saw_training = saw_training || is_training();
    const auto logits = table_.index({inputs.tokens});  // [B, T, V]
    return last_only ? logits.select(1, -1) : logits;
  }

  std::vector<Inputs> shown;
  bool last_only = false;
  bool saw_gradients = false;
  bool saw_training = false;

 private:
  torch::Tensor table_;  // [V, V]
};

/// Token t is followed by next[t], for certain.
std::shared_ptr<TableModel> certain_model(const Ids& next) {
  const auto V = static_cast<std::int64_t>(next.size());
  auto table = torch::full({V, V}, -std::numeric_limits<float>::infinity());
  for (std::int64_t t = 0; t < V; ++t) {
    table[t][next[static_cast<std::size_t>(t)]] = 0.0F;
  }
  return std::make_shared<TableModel>(table);
}

/// Any token may follow any, unevenly; the same table at each call.
std::shared_ptr<TableModel> uneven_model(double boundary_logit = -2.0) {
  const auto steps = torch::arange(36, torch::kFloat).reshape({6, 6});
  auto table = (steps * 2.7).sin();
  table.select(1, kBoundary).fill_(boundary_logit);
  return std::make_shared<TableModel>(table);
}

/// Its logits depend on every real token and its place counted from the end, never on padding. It
/// refuses rows of any other length than its own.
class FixedLengthModel : public Model {
 public:
  explicit FixedLengthModel(std::int64_t block_size) : block_size_(block_size) {}

  /// tokens [B, block_size] -> logits [B, 6]
  torch::Tensor forward(const Inputs& inputs) override {
    require<ShapeError>(inputs.tokens.size(1) == block_size_, "another length");
    const auto place = torch::arange(block_size_, 0, -1);  // [T], 1 = last
    auto weights = (inputs.tokens + 1) * place;            // [B, T]
    if (inputs.lengths.defined()) {
      require<ShapeError>(inputs.left_padded, "padded on the other side");
      weights = weights * (place <= inputs.lengths.unsqueeze(1));
      padded_rows += (inputs.lengths < block_size_).sum().item<std::int64_t>();
    }
    const auto state = weights.sum(1, /*keepdim=*/true).to(torch::kFloat);  // [B, 1]
    ++calls;
    return (state * torch::arange(1, 7)).sin() * 2;  // [B, 6]
  }

  int calls = 0;
  std::int64_t padded_rows = 0;

 private:
  std::int64_t block_size_;
};

GenerationOptions options_of(std::int64_t max_new_tokens, std::int64_t seed = 1) {
  GenerationOptions options;
  options.max_new_tokens = max_new_tokens;
  options.seed = seed;
  return options;
}

bool same(const Generation& a, const Generation& b) {
  return a.ids == b.ids && a.log_probability == b.log_probability && a.stopped == b.stopped;
}

torch::Tensor tokens_of(std::vector<Ids> rows) {
  std::vector<torch::Tensor> tensors;
  for (const auto& row : rows) tensors.push_back(torch::tensor(row, torch::kLong));
  return torch::stack(tensors);
}

}  // namespace

TEST_CASE("a row ends at the stop token, which its ids leave out") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});  // 0 1 2 3 0; 4 5 5 5 ...
  model->last_only = GENERATE(false, true);
  const auto written = generate(*model, {{1}, {4}, {0}, {3}}, options_of(6), kLines, 8, false);
  REQUIRE(written.size() == 4);
  CHECK(written[0].ids == Ids{2, 3});
  CHECK(written[0].stopped);
  CHECK(written[1].ids == Ids{5, 5, 5, 5, 5, 5});
  CHECK_FALSE(written[1].stopped);
  CHECK(written[2].ids == Ids{1, 2, 3});
  CHECK(written[2].stopped);
  CHECK(written[3].ids.empty());
  CHECK(written[3].stopped);
}

TEST_CASE("a row that has stopped leaves the batch, and no step follows the last one") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  generate(*model, {{3}, {1}, {2}}, options_of(50), kLines, 8, false);
  std::vector<std::int64_t> batches;
  for (const auto& inputs : model->shown) batches.push_back(inputs.tokens.size(0));
  CHECK(batches == Ids{3, 2, 1});
}

TEST_CASE("max_new_tokens counts the stop token too") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  CHECK_FALSE(generate(*model, {{1}}, options_of(2), kLines, 8, false)[0].stopped);
  CHECK(generate(*model, {{1}}, options_of(3), kLines, 8, false)[0].stopped);
  CHECK(generate(*model, {{4}}, options_of(7), kLines, 8, false)[0].ids.size() == 7);
}

TEST_CASE("the stop token can be another than the boundary, or none") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  auto options = options_of(5);
  options.stop_id = 3;
  CHECK(generate(*model, {{1}}, options, kLines, 8, false)[0].ids == Ids{2});
  options.stop_id = -1;
  CHECK(generate(*model, {{1}}, options, kLines, 8, false)[0].ids == Ids{2, 3, 0, 1, 2});
  options.stop_id = 6;
  CHECK_THROWS_AS(generate(*model, {{1}}, options, kLines, 8, false), ConfigError);
  options.stop_id.reset();
  CHECK(generate(*model, {{1}}, options, kRunningText, 8, false)[0].ids == Ids{2, 3, 0, 1, 2});
}

TEST_CASE("rows of different lengths are padded on the left, with lengths") {
  auto model = certain_model({1, 2, 3, 4, 5, 4});
  generate(*model, {{1, 2, 3}, {4}}, options_of(2), kLines, 8, false);
  REQUIRE(model->shown.size() == 2);
  CHECK(model->shown[0].tokens.equal(tokens_of({{1, 2, 3}, {0, 0, 4}})));
  REQUIRE(model->shown[0].lengths.defined());
  CHECK(model->shown[0].lengths.equal(torch::tensor({3L, 1L})));
  CHECK(model->shown[0].left_padded);
  CHECK(model->shown[1].tokens.equal(tokens_of({{1, 2, 3, 4}, {0, 0, 4, 5}})));
  CHECK(model->shown[1].lengths.equal(torch::tensor({4L, 2L})));
}

TEST_CASE("padding is what the data says it is") {
  auto model = certain_model({1, 2, 3, 4, 5, 5});
  DataFacts facts = kLines;
  facts.pad_id = 5;
  generate(*model, {{1, 2}, {4}}, options_of(1), facts, 8, false);
  CHECK(model->shown.at(0).tokens.equal(tokens_of({{1, 2}, {5, 4}})));
}

TEST_CASE("there are no lengths where no row is padded") {
  auto model = certain_model({1, 2, 3, 4, 5, 4});
  generate(*model, {{1, 2}, {4, 3}}, options_of(1), kLines, 8, false);
  CHECK(model->shown.at(0).tokens.equal(tokens_of({{1, 2}, {4, 3}})));
  CHECK_FALSE(model->shown.at(0).lengths.defined());
  CHECK_FALSE(model->shown.at(0).left_padded);
}

TEST_CASE("the context is cropped to the last block_size tokens") {
  auto model = certain_model({1, 2, 3, 4, 5, 4});
  generate(*model, {{1, 2, 3, 4}, {4}}, options_of(3), kLines, 3, false);
  REQUIRE(model->shown.size() == 3);
  CHECK(model->shown[0].tokens.equal(tokens_of({{2, 3, 4}, {0, 0, 4}})));
  CHECK(model->shown[0].lengths.equal(torch::tensor({3L, 1L})));
  CHECK(model->shown[1].tokens.equal(tokens_of({{3, 4, 5}, {0, 4, 5}})));
  CHECK(model->shown[2].tokens.equal(tokens_of({{4, 5, 4}, {4, 5, 4}})));
  CHECK_FALSE(model->shown[2].lengths.defined());
}

TEST_CASE("without block_size the context has its bound all the same") {
  auto model = certain_model({1, 2, 3, 4, 5, 4});
  const Ids prompt(static_cast<std::size_t>(kLongestContext) - 1, 2);
  generate(*model, {prompt}, options_of(3), kLines, 0, false);
  CHECK(model->shown.at(0).tokens.size(1) == kLongestContext - 1);
  CHECK(model->shown.at(1).tokens.size(1) == kLongestContext);
  CHECK(model->shown.at(2).tokens.size(1) == kLongestContext);
  CHECK(model->shown.at(2).tokens[0][-1].item<std::int64_t>() == 4);
}

TEST_CASE("a fixed-length model always gets its length") {
  FixedLengthModel model(4);
  const Prompts prompts = {{1}, {}, {2, 3}, {1, 2, 3, 4, 5}};
  CHECK(generate(model, prompts, options_of(9), kLines, 4, true).size() == 4);
  CHECK_NOTHROW(generate(model, {{1}, {}}, options_of(1), kLines, 4, true));  // all are shorter
  CHECK(model.calls > 1);
  CHECK(model.padded_rows > 3);
  CHECK_THROWS_AS(generate(model, prompts, options_of(9), kLines, 0, true), std::invalid_argument);
}

TEST_CASE("a fixed-length model whose rows are full gets no lengths") {
  auto model = certain_model({1, 2, 3, 4, 5, 4});
  generate(*model, {{1, 2, 3}, {2, 3}}, options_of(2), kLines, 3, true);
  CHECK(model->shown.at(0).tokens.equal(tokens_of({{1, 2, 3}, {0, 2, 3}})));
  CHECK(model->shown.at(0).lengths.equal(torch::tensor({3L, 2L})));
  CHECK_FALSE(model->shown.at(1).lengths.defined());
}

TEST_CASE("the same seed writes the same text, another seed another") {
  auto model = uneven_model();
  const Prompts prompts(8, Ids{kBoundary});
  const auto first = generate(*model, prompts, options_of(30, 5), kLines, 8, false);
  const auto again = generate(*model, prompts, options_of(30, 5), kLines, 8, false);
  const auto other = generate(*model, prompts, options_of(30, 6), kLines, 8, false);
  std::set<Ids> texts;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    CHECK(same(first[i], again[i]));
    texts.insert(first[i].ids);
    texts.insert(other[i].ids);
  }
  CHECK(texts.size() == 16);
}

TEST_CASE("a row's text depends on the seed and its place alone, not on the rows beside it") {
  FixedLengthModel model(5);
  Prompts prompts;
  for (std::int64_t i = 0; i < 600; ++i) {  // several forward passes a step
    prompts.push_back(i % 3 == 0 ? Ids{} : i % 3 == 1 ? Ids{1 + i % 5} : Ids{1, 2, 3, 4, 5, 1});
  }
  const auto many = generate(model, prompts, options_of(20), kLines, 5, true);
  for (const auto& row : many) CHECK(row.stopped == (row.ids.size() < 20));
  prompts.resize(8);
  const auto few = generate(model, prompts, options_of(20), kLines, 5, true);
  prompts[3] = {5, 5, 5};
  const auto changed = generate(model, prompts, options_of(20), kLines, 5, true);
  std::set<std::size_t> sizes;
  for (std::size_t i = 0; i < few.size(); ++i) {
    CHECK(same(few[i], many[i]));
    if (i != 3) CHECK(same(few[i], changed[i]));
    sizes.insert(few[i].ids.size());
  }
  CHECK(sizes.size() > 2);  // rows did leave at different steps
}

TEST_CASE("draws of all rows and steps together follow the model's distribution") {
  const auto logits = torch::tensor({-50.0, 0.1, 0.7, -0.4, 1.1, 0.3}, torch::kFloat);
  TableModel model(logits.expand({6, 6}).clone());
  constexpr std::int64_t kSteps = 40;
  const auto written = generate(model, Prompts(1500, Ids{1}), options_of(kSteps), kLines, 1, false);
  std::vector<double> counts(6, 0.0);
  for (const auto& row : written) {
    for (const auto id : row.ids) counts[static_cast<std::size_t>(id)] += 1.0;
  }
  const auto probabilities = logits.to(torch::kDouble).softmax(0);
  double chi_square = 0.0;
  for (std::int64_t id = 1; id < 6; ++id) {
    const double expected = 1500.0 * kSteps * probabilities[id].item<double>();
    chi_square += std::pow(counts[static_cast<std::size_t>(id)] - expected, 2) / expected;
  }
  CHECK(counts[0] == 0.0);
  CHECK(chi_square < 23.5);  // 4 degrees of freedom: exceeded with probability 1e-4
}

TEST_CASE("the log-probability sums the drawn tokens under the model, the stop token included") {
  auto model = uneven_model(-0.5);
  auto options = options_of(12, 3);
  options.sampling.temperature = 1.7;
  options.sampling.top_k = 4;
  const auto written = generate(*model, Prompts(40, Ids{2}), options, kLines, 8, false);
  const auto table = model->buffers()[0].to(torch::kDouble).log_softmax(1);
  int stopped = 0;
  for (const auto& row : written) {
    double expected = 0.0;
    std::int64_t last = 2;
    for (const auto id : row.ids) {
      expected += table[last][id].item<double>();
      last = id;
    }
    if (row.stopped) expected += table[last][kBoundary].item<double>();
    stopped += row.stopped ? 1 : 0;
    CHECK(std::abs(row.log_probability - expected) < 1e-9);
  }
  CHECK(stopped > 3);
  CHECK(stopped < 40);
}

TEST_CASE("the repetition penalty knows the whole row, prompt included and padding not") {
  // Likeliest first: 5 4 3 2 1. A seen token falls behind every unseen one but 0.
  const auto logits = torch::tensor({-90.0, 1.0, 1.1, 1.2, 1.3, 1.4}, torch::kFloat);
  TableModel model(logits.expand({6, 6}).clone());
  auto options = options_of(4);
  options.stop_id = -1;
  options.sampling.greedy = true;
  options.sampling.repetition_penalty = 1.5;
  const auto written = generate(model, {{1}, {4, 2, 2}}, options, {6, 5}, 2, false);
  CHECK(written[0].ids == Ids{5, 4, 3, 2});  // 5 first, although it stands in the padding
  CHECK(written[1].ids == Ids{5, 3, 1, 5});  // no 4, although the model no longer sees it
}

TEST_CASE("generation leaves gradients, mode and the global generator as they were") {
  auto model = uneven_model();
  model->train();
  auto generator = at::globalContext().defaultGenerator(torch::kCPU);
  const auto before = generator.get_state().clone();
  auto options = options_of(10);
  options.sampling.top_p = 0.9;
  generate(*model, {{1}}, options, kLines, 8, false);
  CHECK(generator.get_state().equal(before));
  CHECK_FALSE(model->saw_gradients);
  CHECK_FALSE(model->saw_training);
  CHECK(model->is_training());
  CHECK(torch::GradMode::is_enabled());
  model->eval();
  generate(*model, {{1}}, options, kLines, 8, false);
  CHECK_FALSE(model->is_training());
}

TEST_CASE("logits that are not finite are an error that names the step and the prompt") {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float wrong : {infinity, std::nanf(""), -infinity}) {  // the last: nothing but -inf
    auto table = torch::full({6, 6}, -infinity);
    table[1][2] = 0.0F;
    table[2][3] = 0.0F;
    table[3][1] = wrong;
    table[4][4] = 0.0F;
    TableModel model(table);
    CHECK_THROWS_WITH(generate(model, {{4}, {1}}, options_of(9), kLines, 8, false),
                      ContainsSubstring("step 3, prompt 2: the model's logits are not finite"));
    CHECK(model.is_training());
  }
}

TEST_CASE("an empty prompt starts at the boundary, and needs one") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  CHECK(generate(*model, {{}}, options_of(9), kLines, 8, false)[0].ids == Ids{1, 2, 3});
  CHECK_THROWS_WITH(generate(*model, {{1}, {}}, options_of(9), kRunningText, 8, false),
                    ContainsSubstring("prompt 2"));
  CHECK(generate(*model, {}, options_of(9), kRunningText, 8, false).empty());
}

TEST_CASE("tokens outside the vocabulary and a wrong number of logits are refused") {
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  CHECK_THROWS_AS(generate(*model, {{6}}, options_of(9), kLines, 8, false), UserError);
  CHECK_THROWS_AS(generate(*model, {{-1}}, options_of(9), kLines, 8, false), UserError);
  CHECK_THROWS_AS(generate(*model, {{1}}, options_of(9), {7, 0}, 8, false), ShapeError);
}

TEST_CASE("generation options read sampling beside their own and refuse what is out of range") {
  const auto json = nlohmann::json::parse(R"({"max_new_tokens": 3, "seed": 9, "top_k": 4})");
  const auto options = read_options<GenerationOptions>(json, "generation");
  CHECK(options.max_new_tokens == 3);
  CHECK(options.seed == 9);
  CHECK(options.sampling.top_k == 4);
  auto model = certain_model({1, 2, 3, 0, 5, 5});
  CHECK_THROWS_AS(generate(*model, {{1}}, options_of(0), kLines, 8, false), ConfigError);
  auto wrong = options_of(3);
  wrong.sampling.top_p = 2.0;
  CHECK_THROWS_AS(generate(*model, {{1}}, wrong, kLines, 8, false), ConfigError);
}

}  // namespace zoo
