#include "kernels/attention.h"

#include <cmath>
#include <random>
#include <vector>

#include "tests/support/catch.h"

namespace zoo {
namespace {

std::vector<float> random_numbers(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<float> normal;
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (auto& x : numbers) x = normal(generator);
  return numbers;
}

/// Attention in double, one number at a time; `d_qkv` by the chain rule written out.
struct Reference {
  SelfAttentionSizes s;
  std::vector<double> output, weights, d_qkv;

  std::size_t at(std::int64_t b, std::int64_t t, int part, std::int64_t h, std::int64_t d) const {
    return static_cast<std::size_t>((((b * s.T + t) * 3 + part) * s.H + h) * s.D + d);
  }
  std::size_t out(std::int64_t b, std::int64_t t, std::int64_t h, std::int64_t d) const {
    return static_cast<std::size_t>(((b * s.T + t) * s.H + h) * s.D + d);
  }

  Reference(const SelfAttentionSizes& sizes, const std::vector<float>& qkv,
            const std::vector<float>& d_output)
      : s(sizes), output(d_output.size()), d_qkv(qkv.size()) {
    for (std::int64_t b = 0; b < s.B; ++b) {
      for (std::int64_t h = 0; h < s.H; ++h) {
        for (std::int64_t i = 0; i < s.T; ++i) attend(b, h, i, qkv, d_output);
      }
    }
  }

  void attend(std::int64_t b, std::int64_t h, std::int64_t i, const std::vector<float>& qkv,
              const std::vector<float>& d_output) {
    const auto keys = s.causal ? i + 1 : s.T;
    const double scale = 1.0 / std::sqrt(static_cast<double>(s.D));
    std::vector<double> p(static_cast<std::size_t>(keys)), dp(p.size());
    double total = 0.0, mean = 0.0;
    for (std::int64_t j = 0; j < keys; ++j) {
      double score = 0.0;
      for (std::int64_t d = 0; d < s.D; ++d) {
        score += double{qkv[at(b, i, 0, h, d)]} * double{qkv[at(b, j, 1, h, d)]};
      }
      total += p[static_cast<std::size_t>(j)] = std::exp(score * scale);
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      auto& weight = p[static_cast<std::size_t>(j)];
      weight /= total;
      for (std::int64_t d = 0; d < s.D; ++d) {
        const double gradient = d_output[out(b, i, h, d)];
        output[out(b, i, h, d)] += weight * double{qkv[at(b, j, 2, h, d)]};
        d_qkv[at(b, j, 2, h, d)] += weight * gradient;
        dp[static_cast<std::size_t>(j)] += gradient * double{qkv[at(b, j, 2, h, d)]};
      }
      mean += weight * dp[static_cast<std::size_t>(j)];
    }
    for (std::int64_t j = 0; j < keys; ++j) {
      const auto index = static_cast<std::size_t>(j);
      const double d_score = p[index] * (dp[index] - mean) * scale;
      for (std::int64_t d = 0; d < s.D; ++d) {
        d_qkv[at(b, i, 0, h, d)] += d_score * double{qkv[at(b, j, 1, h, d)]};
        d_qkv[at(b, j, 1, h, d)] += d_score * double{qkv[at(b, i, 0, h, d)]};
      }
    }
  }
};

double largest_difference(const std::vector<float>& actual, const std::vector<double>& expected) {
  REQUIRE(!actual.empty());
  REQUIRE(actual.size() == expected.size());
  double most = 0.0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    REQUIRE(std::isfinite(actual[i]));
    most = std::max(most, std::abs(double{actual[i]} - expected[i]));
  }
  return most;
}

TEST_CASE("the attention kernel equals a computation in double, forward and backward") {
  for (const std::int64_t T : {1, 7, 8, 16, 33, 64}) {
    for (const std::int64_t D : {8, 16, 32, 40}) {
      for (const bool causal : {false, true}) {
        INFO("T " << T << ", D " << D << ", causal " << causal);
        const SelfAttentionSizes sizes{2, T, 3, D, causal};
        const auto C = sizes.H * D;
        const auto qkv = random_numbers(sizes.B * T * 3 * C, 1);
        const auto d_output = random_numbers(sizes.B * T * C, 2);
        std::vector<float> output(d_output.size(), NAN);
        std::vector<float> weights(static_cast<std::size_t>(sizes.B * sizes.H * T * padded_keys(T)),
                                   NAN);
        std::vector<float> d_qkv(qkv.size(), NAN);
        self_attention_forward(sizes, qkv.data(), output.data(), weights.data());
        self_attention_backward(sizes, qkv.data(), weights.data(), d_output.data(), d_qkv.data());
        const Reference expected(sizes, qkv, d_output);
        CHECK(largest_difference(output, expected.output) < 2e-6);
        CHECK(largest_difference(d_qkv, expected.d_qkv) < 2e-5);
      }
    }
  }
}

TEST_CASE("attention token by token over a cache equals attention over the whole text") {
  const std::int64_t capacity = 40;
  for (const std::int64_t D : {8, 16, 40}) {
    const SelfAttentionSizes sizes{2, 33, 3, D, /*causal=*/true};
    const auto C = sizes.H * D;
    const auto qkv = random_numbers(sizes.B * sizes.T * 3 * C, 4);
    const Reference expected(sizes, qkv, random_numbers(sizes.B * sizes.T * C, 5));
    std::vector<float> keys(static_cast<std::size_t>(sizes.B * capacity * C), NAN);
    auto values = keys;
    for (std::int64_t t = 0; t < sizes.T; ++t) {
      std::vector<float> column, output(static_cast<std::size_t>(sizes.B * C), NAN);
      std::vector<double> wanted;
      for (std::int64_t b = 0; b < sizes.B; ++b) {
        const auto at = static_cast<std::ptrdiff_t>(expected.at(b, t, 0, 0, 0));
        column.insert(column.end(), qkv.begin() + at, qkv.begin() + at + 3 * C);
        const auto out = static_cast<std::ptrdiff_t>(expected.out(b, t, 0, 0));
        wanted.insert(wanted.end(), expected.output.begin() + out,
                      expected.output.begin() + out + C);
      }
      self_attention_step(sizes.B, sizes.H, D, t + 1, column.data(), {keys.data(), capacity * D},
                          {values.data(), capacity * D}, output.data());
      INFO("D " << D << ", token " << t);
      CHECK(largest_difference(output, wanted) < 2e-6);
    }
  }
}

TEST_CASE("weights behind the last key are exactly zero and huge scores stay finite") {
  const SelfAttentionSizes sizes{1, 5, 1, 8, true};
  auto qkv = random_numbers(5 * 24, 3);
  for (auto& x : qkv) x *= 100.0F;
  std::vector<float> output(5 * 8), weights(5 * 8, NAN);
  self_attention_forward(sizes, qkv.data(), output.data(), weights.data());
  for (std::size_t i = 0; i < 5; ++i) {
    float total = 0.0F;
    for (std::size_t j = 0; j < 8; ++j) {
      total += weights[i * 8 + j];
      if (j > i) CHECK(weights[i * 8 + j] == 0.0F);
    }
    CHECK(total == Approx(1.0F).epsilon(1e-6));
  }
  for (const float x : output) CHECK(std::isfinite(x));
}

}  // namespace
}  // namespace zoo
