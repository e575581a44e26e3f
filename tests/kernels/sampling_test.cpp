#include "kernels/sampling.h"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/catch.h"

namespace zoo {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Drawn {
  std::int64_t id = -1;
  double log_probability = 0.0;
};

Drawn draw(const std::vector<float>& logits, double uniform) {
  Drawn drawn;
  sample_tokens(1, static_cast<std::int64_t>(logits.size()), logits.data(), &uniform, &drawn.id,
                &drawn.log_probability);
  return drawn;
}

TEST_CASE("the sampling kernel draws each token over its share of [0, 1)") {
  // Probabilities 0.1, 0, 0.4, 0.5.
  const std::vector<float> logits = {std::log(0.1F), -kInfinity, std::log(0.4F), std::log(0.5F)};
  const std::vector<double> shares = {0.1, 0.0, 0.4, 0.5};
  for (const auto& [uniform, id] : std::vector<std::pair<double, std::int64_t>>{
           {0.0, 0}, {0.0999, 0}, {0.1001, 2}, {0.4999, 2}, {0.5001, 3}, {0.9999999999999999, 3}}) {
    const auto drawn = draw(logits, uniform);
    CHECK(drawn.id == id);
    CHECK(drawn.log_probability == Approx(std::log(shares[static_cast<std::size_t>(id)])));
  }
}

TEST_CASE("an impossible token is never drawn, at either end") {
  const std::vector<float> logits = {-kInfinity, 3.0F, -kInfinity};
  for (const double uniform : {0.0, 0.5, 0.9999999999999999}) {
    CHECK(draw(logits, uniform).id == 1);
    CHECK(draw(logits, uniform).log_probability == 0.0);
  }
}

TEST_CASE("rows that say nothing are told by a log-probability that is no number") {
  CHECK(std::isnan(draw({1.0F, NAN}, 0.5).log_probability));
  CHECK(std::isnan(draw({NAN, 1.0F}, 0.5).log_probability));
  CHECK(std::isnan(draw({1.0F, kInfinity}, 0.5).log_probability));
  CHECK(std::isnan(draw({-kInfinity, -kInfinity}, 0.5).log_probability));
  CHECK(draw({3e38F, -3e38F}, 0.5).id == 0);
}

TEST_CASE("rows are drawn apart from each other, few or many") {
  constexpr std::int64_t B = 700, V = 30;
  std::vector<float> logits(B * V);
  std::vector<double> uniforms(B);
  for (std::size_t i = 0; i < logits.size(); ++i) {
    logits[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  }
  for (std::size_t b = 0; b < uniforms.size(); ++b) uniforms[b] = std::fmod(0.37 * double(b), 1.0);
  std::vector<std::int64_t> ids(B);
  std::vector<double> log_probabilities(B);
  sample_tokens(B, V, logits.data(), uniforms.data(), ids.data(), log_probabilities.data());
  for (std::size_t b = 0; b < uniforms.size(); b += 13) {
    const auto first = logits.begin() + static_cast<std::ptrdiff_t>(b * V);
    const auto alone = draw({first, first + V}, uniforms[b]);
    CHECK(ids[b] == alone.id);
    CHECK(log_probabilities[b] == alone.log_probability);
  }
}

}  // namespace
}  // namespace zoo
