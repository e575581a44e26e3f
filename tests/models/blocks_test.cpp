#include <cmath>

#include <torch/nn/modules/batchnorm.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/blocks/feed_forward.h"
#include "models/blocks/norm.h"
#include "models/blocks/positions.h"
#include "models/blocks/transformer_options.h"
#include "models/shapes.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

TEST_CASE("layer norm equals a computation by hand with the biased variance") {
  Norm norm(NormType::kLayer, 4, true);
  // Mean 2.5, biased variance 1.25.
  const auto x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({1, 1, 4});
  const auto scale = 1.0 / std::sqrt(1.25 + 1e-5);
  const auto expected = torch::tensor({-1.5, -0.5, 0.5, 1.5}) * scale;
  CHECK(largest_difference(norm(x).flatten(), expected) < 1e-6);
}

TEST_CASE("no norm is the input, without parameters") {
  Norm norm(NormType::kNone, 4, true);
  const auto x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({1, 1, 4});
  CHECK(torch::equal(norm(x), x));
  CHECK(norm->parameters().empty());
}

TEST_CASE("batch norm equals a computation by hand, in training and in evaluation") {
  Norm norm(NormType::kBatch, 1, true);
  const auto x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({2, 2, 1});
  const auto scale = 1.0 / std::sqrt(1.25 + 1e-5);
  const auto expected = torch::tensor({-1.5, -0.5, 0.5, 1.5}) * scale;
  CHECK(largest_difference(norm(x).flatten(), expected) < 1e-6);
  norm->eval();
  // Running mean 0.1 * 2.5; running variance 0.9 * 1 + 0.1 * 5/3, the unbiased one.
  const auto running = (x.flatten() - 0.25) / std::sqrt(0.9 + 0.1 * 5.0 / 3.0 + 1e-5);
  CHECK(largest_difference(norm(x).flatten(), running) < 1e-6);
}

TEST_CASE("batch norm equals PyTorch's own") {
  torch::manual_seed(1);
  Norm norm(NormType::kBatch, 6, true);
  torch::nn::BatchNorm1d reference(6);
  for (int i = 0; i < 3; ++i) {
    const auto x = torch::randn({5, 7, 6}) * 3.0 + 1.0;
    CHECK(largest_difference(norm(x).flatten(0, 1), reference(x.flatten(0, 1))) < 1e-5);
  }
  norm->eval();
  reference->eval();
  const auto x = torch::randn({5, 7, 6});
  CHECK(largest_difference(norm(x).flatten(0, 1), reference(x.flatten(0, 1))) < 1e-5);
}

TEST_CASE("batch statistics leave padding out") {
  Norm norm(NormType::kBatch, 1, true);
  const auto x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F, 100.0F, -50.0F}).view({2, 3, 1});
  const auto real = torch::tensor({1, 1, 1, 1, 0, 0}).to(torch::kBool).view({2, 3});
  const auto y = norm(x, real).flatten().narrow(0, 0, 4);
  const auto expected = torch::tensor({-1.5, -0.5, 0.5, 1.5}) / std::sqrt(1.25 + 1e-5);
  CHECK(largest_difference(y, expected) < 1e-6);
}

TEST_CASE("a norm can drop its bias") {
  for (const auto type : {NormType::kLayer, NormType::kBatch}) {
    CHECK(Norm(type, 4, true)->parameters().size() == 2);
    CHECK(Norm(type, 4, false)->parameters().size() == 1);
  }
}

TEST_CASE("sinusoidal positions follow their formula") {
  const auto table = sinusoidal_table(50, 6);
  for (const std::int64_t p : {0, 1, 7, 49}) {
    for (const std::int64_t i : {0, 1, 2}) {
      const auto angle =
          static_cast<double>(p) / std::pow(10000.0, 2.0 * static_cast<double>(i) / 6.0);
      CHECK(std::abs(table.index({p, 2 * i}).item<double>() - std::sin(angle)) < 1e-6);
      CHECK(std::abs(table.index({p, 2 * i + 1}).item<double>() - std::cos(angle)) < 1e-6);
    }
  }
  CHECK(sinusoidal_table(3, 5).sizes().vec() == std::vector<std::int64_t>{3, 5});
}

TEST_CASE("positions are added by place, and left padding moves nothing") {
  torch::manual_seed(2);
  const auto x = torch::zeros({1, 3, 4});
  for (const auto type : {PositionType::kLearned, PositionType::kSinusoidal}) {
    Positions positions(type, 8, 4, 2);
    const auto plain = positions(x, places_of(x));
    const auto longer = torch::zeros({1, 5, 4});
    const auto real = torch::tensor({0, 0, 1, 1, 1}).to(torch::kBool).view({1, 5});
    const auto padded = positions(longer, places_of(longer, real));
    CHECK(largest_difference(padded.narrow(1, 2, 3), plain) == 0.0);
    CHECK(largest_difference(plain.select(1, 0), plain.select(1, 1)) > 0.1);
  }
  Positions none(PositionType::kNone, 8, 4, 2);
  CHECK(none->parameters().empty());
  CHECK(largest_difference(none(x, places_of(x)), x) == 0.0);
}

TEST_CASE("rotary positions turn pairs of channels by place times frequency") {
  torch::manual_seed(5);
  Positions positions(PositionType::kRotary, 8, 8, 4);
  const auto x = torch::randn({1, 1, 3, 4});
  const auto places = torch::tensor({{0, 1, 5}}, torch::kInt64);
  const auto turned = rotated(x, positions->rotation(places));
  for (std::int64_t t = 0; t < 3; ++t) {
    for (std::int64_t i = 0; i < 2; ++i) {
      const auto angle =
          places[0][t].item<double>() / std::pow(10000.0, static_cast<double>(i) / 2);
      const auto a = x.index({0, 0, t, i}).item<double>();
      const auto b = x.index({0, 0, t, i + 2}).item<double>();
      CHECK(std::abs(turned.index({0, 0, t, i}).item<double>() -
                     (a * std::cos(angle) - b * std::sin(angle))) < 1e-6);
      CHECK(std::abs(turned.index({0, 0, t, i + 2}).item<double>() -
                     (b * std::cos(angle) + a * std::sin(angle))) < 1e-6);
    }
  }
}

TEST_CASE("with rotary positions a score depends on the distance alone") {
  torch::manual_seed(6);
  Positions positions(PositionType::kRotary, 32, 8, 8);
  const auto q = torch::randn({1, 1, 1, 8});
  const auto k = torch::randn({1, 1, 1, 8});
  const auto score = [&](std::int64_t i, std::int64_t j) {
    const auto at = [&](const torch::Tensor& x, std::int64_t place) {
      return rotated(x, positions->rotation(torch::full({1, 1}, place, torch::kInt64)));
    };
    return (at(q, i) * at(k, j)).sum().item<double>();
  };
  CHECK(std::abs(score(3, 1) - score(20, 18)) < 1e-5);
  CHECK(std::abs(score(3, 1) - score(3, 2)) > 1e-3);
}

TEST_CASE("RMS norm equals a computation by hand and has no bias") {
  Norm norm(NormType::kRms, 4, true);
  const auto x = torch::tensor({1.0F, 2.0F, 3.0F, 4.0F}).view({1, 4});
  CHECK(largest_difference(norm(x), x / std::sqrt(30.0 / 4.0 + 1e-5)) < 1e-6);
  CHECK(norm->parameters().size() == 1);
}

TEST_CASE("SwiGLU gates one half of the hidden units by the SiLU of the other") {
  torch::manual_seed(7);
  FeedForward network(FeedForwardType::kSwiglu, 4, 6, true);
  const auto x = torch::randn({2, 4});
  const auto p = network->named_parameters();
  const auto hidden = torch::linear(x, p["up.weight"], p["up.bias"]).chunk(2, -1);
  const auto gated = hidden[0] * hidden[0].sigmoid() * hidden[1];
  CHECK(largest_difference(network(x), torch::linear(gated, p["down.weight"], p["down.bias"])) <
        1e-6);
}

TEST_CASE("a swiglu network of default width has as many weights as a gelu one") {
  TransformerOptions options;
  options.d_model = 96;
  CHECK(options.hidden_units() == 384);
  options.feed_forward = FeedForwardType::kSwiglu;
  CHECK(options.hidden_units() == 256);
  options.d_ff = 100;
  CHECK(options.hidden_units() == 100);
}

TEST_CASE("rows are moved to their start and back, and reversed within themselves") {
  const auto x = torch::tensor({0, 0, 1, 2, 0, 3, 4, 5}).view({2, 4});
  const auto lengths = torch::tensor({2, 3}, torch::kInt64);
  const auto moved = moved_to_start(x, lengths);
  CHECK(largest_difference(moved, torch::tensor({1, 2, 0, 0, 3, 4, 5, 0}).view({2, 4})) == 0.0);
  CHECK(largest_difference(moved_to_end(moved, lengths), x) == 0.0);
  CHECK(largest_difference(reversed_rows(moved, lengths),
                           torch::tensor({2, 1, 0, 0, 5, 4, 3, 0}).view({2, 4})) == 0.0);
  const auto vectors = x.unsqueeze(-1).expand({-1, -1, 3});
  CHECK(largest_difference(moved_to_start(vectors, lengths).select(2, 1), moved) == 0.0);
}

TEST_CASE("what stands at the last real token is found on either side of the padding") {
  Inputs inputs;
  const auto x = torch::arange(8).view({2, 4, 1});
  CHECK(largest_difference(last_real(x, inputs), torch::tensor({3, 7}).view({2, 1})) == 0.0);
  inputs.lengths = torch::tensor({1, 3}, torch::kInt64);
  CHECK(largest_difference(last_real(x, inputs), torch::tensor({0, 6}).view({2, 1})) == 0.0);
  inputs.left_padded = true;
  CHECK(largest_difference(last_real(x, inputs), torch::tensor({3, 7}).view({2, 1})) == 0.0);
}

TEST_CASE("the feed-forward network is Linear, exact GELU, Linear") {
  torch::manual_seed(3);
  FeedForward network(FeedForwardType::kGelu, 4, 16, true);
  const auto x = torch::randn({2, 4});
  const auto p = network->named_parameters();
  const auto hidden = torch::linear(x, p["up.weight"], p["up.bias"]);
  const auto gelu = hidden * 0.5 * (1.0 + torch::erf(hidden / std::sqrt(2.0)));
  CHECK(largest_difference(network(x), torch::linear(gelu, p["down.weight"], p["down.bias"])) <
        1e-6);
}

TEST_CASE("a wrong shape is refused with what was got and what is needed") {
  CHECK_THROWS_WITH(expect_shape("vit", "images", torch::zeros({2, 3}), {kAnySize, 4}),
                    ContainsSubstring("vit: images must be [?, 4], got [2, 3]"));
  Inputs inputs;
  CHECK_THROWS_AS(expect_tokens("gpt", inputs, 4), ShapeError);
  inputs.tokens = torch::zeros({1, 5}, torch::kInt64);
  CHECK_THROWS_WITH(expect_tokens("gpt", inputs, 4), ContainsSubstring("longer than block_size 4"));
  CHECK_NOTHROW(expect_tokens("gpt", inputs, 0));
}

TEST_CASE("real tokens are told from padding on either side") {
  Inputs inputs;
  inputs.tokens = torch::zeros({2, 4}, torch::kInt64);
  inputs.lengths = torch::tensor({1, 3}, torch::kInt64);
  const auto right = torch::tensor({1, 0, 0, 0, 1, 1, 1, 0}).view({2, 4});
  CHECK(largest_difference(real_tokens(inputs), right) == 0.0);
  inputs.left_padded = true;
  CHECK(largest_difference(real_tokens(inputs), right.flip(1)) == 0.0);
}

}  // namespace
}  // namespace zoo
