#include "inference/samplers.h"

#include <cmath>
#include <limits>
#include <vector>

#include <ATen/CPUGeneratorImpl.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

constexpr std::int64_t kDraws = 60000;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

using Values = std::vector<double>;

/// Logits of the distribution that most cases start from.
const Values kProbabilities = {0.1, 0.4, 0.05, 0.3, 0.15};

torch::Tensor row_of(const Values& values) {
  return torch::tensor(values, torch::kFloat).unsqueeze(0);  // [1, V]
}

torch::Tensor logits_of(const Values& probabilities) { return row_of(probabilities).log(); }

/// Uniforms [B] from a generator of their own.
torch::Tensor uniforms_of(std::int64_t count, std::uint64_t seed = 7) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(seed);
  return torch::rand({count}, generator, torch::kDouble);
}

/// What chi-square exceeds with probability 1e-4 (Wilson and Hilferty 1931).
double critical_chi_square(double degrees) {
  const double a = 2.0 / (9.0 * degrees);
  return degrees * std::pow(1.0 - a + 3.719 * std::sqrt(a), 3);
}

/// Draws kDraws tokens and holds their counts to the exact weights, which need not sum to 1. A
/// token of weight 0 may not be drawn even once.
void check_distribution(const torch::Tensor& logits, const SamplingOptions& options,
                        const Values& weights, const torch::Tensor& seen = {}) {
  const auto V = static_cast<std::int64_t>(weights.size());
  REQUIRE(logits.sizes() == torch::IntArrayRef({1, V}));
  const auto many_seen = seen.defined() ? seen.expand({kDraws, V}) : seen;
  const auto drawn =
      sample(logits.expand({kDraws, V}), many_seen, uniforms_of(kDraws), options).ids;
  REQUIRE(drawn.sizes() == torch::IntArrayRef({kDraws}));
  const auto counts = drawn.bincount({}, V);
  REQUIRE(counts.size(0) == V);

  double total = 0.0;
  for (const auto weight : weights) total += weight;
  double chi_square = 0.0;
  double cells = 0.0;
  for (std::size_t id = 0; id < weights.size(); ++id) {
    const auto count = counts[static_cast<std::int64_t>(id)].item<double>();
    INFO("token " << id << " was drawn " << count << " times");
    if (weights[id] == 0.0) {
      CHECK(count == 0.0);
      continue;
    }
    const double expected = static_cast<double>(kDraws) * weights[id] / total;
    REQUIRE(expected >= 5.0);
    chi_square += (count - expected) * (count - expected) / expected;
    cells += 1.0;
  }
  REQUIRE(cells >= 2.0);
  CHECK(chi_square < critical_chi_square(cells - 1.0));
}

/// Which ids of the one row may be drawn.
std::vector<std::int64_t> kept(const torch::Tensor& logits, const SamplingOptions& options) {
  const auto filtered = filtered_logits(logits, {}, options);
  REQUIRE(filtered.sizes() == logits.sizes());
  REQUIRE_FALSE(filtered.isnan().any().item<bool>());
  const auto ids = (filtered[0] > -kInfinity).nonzero().flatten();
  return {ids.data_ptr<std::int64_t>(), ids.data_ptr<std::int64_t>() + ids.numel()};
}

using Ids = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("sampling without options follows the softmax of the logits") {
  check_distribution(logits_of(kProbabilities), {}, kProbabilities);
}

TEST_CASE("temperature raises probabilities to its inverse") {
  SamplingOptions options;
  options.temperature = 0.5;
  check_distribution(logits_of(kProbabilities), options, {0.01, 0.16, 0.0025, 0.09, 0.0225});
  options.temperature = 2.0;
  check_distribution(
      logits_of(kProbabilities), options,
      {std::sqrt(0.1), std::sqrt(0.4), std::sqrt(0.05), std::sqrt(0.3), std::sqrt(0.15)});
}

TEST_CASE("top-k keeps the k likeliest tokens in their proportions") {
  SamplingOptions options;
  options.top_k = 2;
  check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.0});
  options.top_k = 3;
  check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.15});
}

TEST_CASE("top-p keeps the smallest set that reaches its mass") {
  SamplingOptions options;
  options.top_p = 0.69;
  check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.0});
  options.top_p = 0.71;
  check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.15});
}

TEST_CASE("min-p keeps tokens by their share of the likeliest one") {
  SamplingOptions options;
  options.min_p = 0.3;  // of 0.4: 0.12
  check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.15});
  options.min_p = 0.2;  // of 0.4: 0.08
  check_distribution(logits_of(kProbabilities), options, {0.1, 0.4, 0.0, 0.3, 0.15});
}

TEST_CASE("the repetition penalty divides positive logits and multiplies negative ones") {
  const Values logits = {1.0, -0.5, 0.6, 0.0, -0.2};
  const auto seen = torch::tensor({true, true, false, true, false}).unsqueeze(0);
  SamplingOptions options;
  options.repetition_penalty = 2.0;
  check_distribution(row_of(logits), options,
                     {std::exp(0.5), std::exp(-1.0), std::exp(0.6), std::exp(0.0), std::exp(-0.2)},
                     seen);
  options.repetition_penalty = 0.5;
  check_distribution(row_of(logits), options,
                     {std::exp(2.0), std::exp(-0.25), std::exp(0.6), std::exp(0.0), std::exp(-0.2)},
                     seen);
}

TEST_CASE("filters apply in the documented order") {
  SamplingOptions options;
  SECTION("top-p counts the mass of what top-k left, made to sum to 1") {
    options.top_k = 3;
    options.top_p = 0.75;  // 0.7 of the whole, 0.82 of the three
    check_distribution(logits_of(kProbabilities), options, {0.0, 0.4, 0.0, 0.3, 0.0});
  }
  SECTION("temperature comes before top-p") {
    options.temperature = 0.5;
    options.top_p = 0.8;  // squares: 0.56, then 0.88
    check_distribution(logits_of(kProbabilities), options, {0.0, 0.16, 0.0, 0.09, 0.0});
  }
  SECTION("temperature comes before min-p") {
    options.temperature = 2.0;
    options.min_p = 0.55;  // roots: the third token has 0.61 of the first, the fourth 0.5
    check_distribution(logits_of(kProbabilities), options,
                       {0.0, std::sqrt(0.4), 0.0, std::sqrt(0.3), std::sqrt(0.15)});
  }
  SECTION("the penalty comes before temperature and top-k") {
    options.repetition_penalty = 4.0;
    options.temperature = 2.0;
    options.top_k = 2;
    const auto seen = torch::tensor({true, false, false, false}).unsqueeze(0);
    check_distribution(row_of({2.0, 1.0, 0.8, -1.0}), options,
                       {0.0, std::exp(0.5), std::exp(0.4), 0.0}, seen);
  }
  SECTION("all together") {
    options.repetition_penalty = 2.0;
    options.temperature = 0.5;
    options.top_k = 4;
    options.top_p = 0.95;
    options.min_p = 0.2;
    const auto seen = torch::tensor({false, true, false, false, false}).unsqueeze(0);
    // Penalized 0, 0.2, -0.1, -0.6, -3; doubled 0, 0.4, -0.2, -1.2, -6: min-p leaves the first
    // three of the four (exp(-1.6) is 0.202, so the fourth stays by min-p) and top-p cuts the
    // fourth.
    check_distribution(row_of({0.0, 0.4, -0.1, -0.6, -3.0}), options,
                       {1.0, std::exp(0.4), std::exp(-0.2), std::exp(-1.2), 0.0}, seen);
    options.top_p = 0.8;
    check_distribution(row_of({0.0, 0.4, -0.1, -0.6, -3.0}), options,
                       {1.0, std::exp(0.4), std::exp(-0.2), 0.0, 0.0}, seen);
  }
}

TEST_CASE("temperature 0 and greedy take the likeliest token, the lowest id among equals") {
  const auto logits = torch::tensor({{1.0F, 3.0F, 3.0F}, {2.0F, 2.0F, 2.0F}, {0.0F, 0.0F, 9.0F}});
  SamplingOptions cold;
  cold.temperature = 0.0;
  SamplingOptions greedy;
  greedy.greedy = true;
  for (const auto& options : {cold, greedy}) {
    const auto high = torch::full({3}, 0.999999, torch::kDouble);
    CHECK(sample(logits, {}, high, options).ids.equal(torch::tensor({1L, 0L, 2L})));
  }
}

TEST_CASE("greedy obeys the repetition penalty") {
  SamplingOptions options;
  options.greedy = true;
  options.repetition_penalty = 2.0;
  const auto seen = torch::tensor({true, false, false}).unsqueeze(0);
  const auto uniforms = torch::zeros({1}, torch::kDouble);
  CHECK(sample(row_of({3.0, 2.0, 1.0}), seen, uniforms, options).ids.item<std::int64_t>() == 1);
}

TEST_CASE("a temperature near 0 does not overflow") {
  SamplingOptions options;
  options.temperature = std::numeric_limits<double>::denorm_min();
  CHECK(kept(row_of({-1e30, 3e38, 1.0, -3e38}), options) == Ids{1});
}

TEST_CASE("top-k is clamped to the vocabulary, keeps exactly k and prefers low ids among equals") {
  SamplingOptions options;
  options.top_k = 99;
  CHECK(kept(logits_of(kProbabilities), options) == Ids{0, 1, 2, 3, 4});
  options.top_k = 1;
  CHECK(kept(logits_of(kProbabilities), options) == Ids{1});
  CHECK(kept(row_of({2.0, 2.0, 2.0}), options) == Ids{0});
  options.top_k = 3;
  CHECK(kept(row_of({1.0, 5.0, 1.0, 1.0, 1.0}), options) == Ids{0, 1, 2});
  CHECK(kept(row_of(Values(1000, 0.5)), options) == Ids{0, 1, 2});
}

TEST_CASE("top-p of 1 keeps everything, a tiny one the likeliest token") {
  SamplingOptions options;
  CHECK(kept(logits_of({0.999, 1e-12, 1e-30, 0.001}), options) == Ids{0, 1, 2, 3});
  options.top_p = 1e-12;
  CHECK(kept(logits_of(kProbabilities), options) == Ids{1});
  CHECK(kept(row_of({1.0, 1.0, 1.0, 1.0}), options) == Ids{0});
  options.top_p = 0.5;  // four equals: two are exactly half
  CHECK(kept(row_of({1.0, 1.0, 1.0, 1.0}), options) == Ids{0, 1});
}

TEST_CASE("a token that has all the mass is the only one drawn") {
  const auto logits = row_of({-kInfinity, 0.3, -kInfinity}).expand({1000, 3});
  SamplingOptions options;
  for (const double top_p : {1.0, 0.9}) {
    options.top_p = top_p;
    const auto drawn = sample(logits, {}, uniforms_of(1000), options);
    CHECK(drawn.ids.eq(1).all().item<bool>());
    CHECK(drawn.log_probabilities.eq(0.0).all().item<bool>());
  }
}

TEST_CASE("a logit of -inf is never drawn, at no end of the uniforms") {
  const auto logits = row_of({-kInfinity, 0.0, -kInfinity, 0.0, -kInfinity}).expand({2, 5});
  const auto ends = torch::tensor({0.0, 1.0 - 0x1p-53}, torch::kDouble);
  SamplingOptions options;
  for (const std::int64_t top_k : {0, 4}) {
    options.top_k = top_k;
    CHECK(sample(logits, {}, ends, options).ids.equal(torch::tensor({1L, 3L})));
  }
  options.repetition_penalty = 0.5;
  const auto seen = torch::ones({2, 5}, torch::kBool);
  CHECK(sample(logits, seen, ends, options).ids.equal(torch::tensor({1L, 3L})));
}

TEST_CASE("rows are filtered and drawn each by itself") {
  const auto logits = uniforms_of(12 * 30).reshape({12, 30}).to(torch::kFloat) * 5;
  const auto seen = uniforms_of(12 * 30, 8).reshape({12, 30}) > 0.5;
  const auto uniforms = uniforms_of(12, 9);
  SamplingOptions options;
  options.temperature = 1.5;
  options.top_k = 12;
  options.top_p = 0.9;
  options.min_p = 0.02;
  options.repetition_penalty = 1.3;
  const auto together = sample(logits, seen, uniforms, options);
  for (std::int64_t b = 0; b < 12; ++b) {
    const auto alone =
        sample(logits.narrow(0, b, 1), seen.narrow(0, b, 1), uniforms.narrow(0, b, 1), options);
    CHECK(alone.ids.equal(together.ids.narrow(0, b, 1)));
    CHECK(alone.log_probabilities.equal(together.log_probabilities.narrow(0, b, 1)));
  }
}

TEST_CASE("log-probabilities are the model's own, whatever the filters") {
  SamplingOptions options;
  options.temperature = 3.0;
  options.top_k = 2;
  const auto drawn =
      sample(logits_of(kProbabilities).expand({200, 5}), {}, uniforms_of(200), options);
  REQUIRE(drawn.log_probabilities.sizes() == torch::IntArrayRef({200}));
  const auto own = torch::tensor(kProbabilities, torch::kDouble).log().index_select(0, drawn.ids);
  CHECK(drawn.log_probabilities.sub(own).abs().max().item<double>() < 1e-6);
}

TEST_CASE("sampling options refuse values outside their ranges, from JSON or not") {
  const auto read = [](const char* json) {
    return read_options<SamplingOptions>(nlohmann::json::parse(json), "sampling");
  };
  CHECK(read(R"({"top_k": 5, "top_p": 0.9, "greedy": true})").top_k == 5);
  for (const auto* wrong :
       {R"({"temperature": -0.1})", R"({"top_k": -1})", R"({"top_p": 0})", R"({"top_p": 1.1})",
        R"({"min_p": 1})", R"({"min_p": -0.1})", R"({"repetition_penalty": 0})"}) {
    CHECK_THROWS_AS(read(wrong), ConfigError);
  }
  SamplingOptions options;
  CHECK_NOTHROW(options.validate("sampling"));
  options.top_p = 0.0;
  CHECK_THROWS_WITH(options.validate("sampling"), ContainsSubstring("sampling.top_p"));
  options.top_p = 1.0;
  options.temperature = kInfinity;
  CHECK_THROWS_AS(options.validate("sampling"), ConfigError);
}

TEST_CASE("wrong shapes are named") {
  SamplingOptions options;
  CHECK_THROWS_AS(filtered_logits(torch::zeros({3}), {}, options), ShapeError);
  CHECK_THROWS_AS(sample(torch::zeros({2, 3}), {}, uniforms_of(3), options), ShapeError);
  options.repetition_penalty = 2.0;
  CHECK_THROWS_AS(filtered_logits(torch::zeros({2, 3}), {}, options), ShapeError);
}

TEST_CASE("a GPU draws what the CPU draws", "[cuda]") {
  if (!torch::cuda::is_available()) return;
  const auto logits = uniforms_of(64 * 500).reshape({64, 500}).to(torch::kFloat) * 8;
  const auto seen = uniforms_of(64 * 500, 8).reshape({64, 500}) > 0.9;
  const auto uniforms = uniforms_of(64, 9);
  SamplingOptions options;
  options.temperature = 0.9;
  options.top_k = 100;
  options.top_p = 0.95;
  options.min_p = 0.01;
  options.repetition_penalty = 1.2;
  const auto on_cpu = sample(logits, seen, uniforms, options);
  const auto on_gpu = sample(logits.cuda(), seen.cuda(), uniforms.cuda(), options);
  CHECK(on_gpu.ids.cpu().equal(on_cpu.ids));
}

}  // namespace zoo
