#include "analysis/embedding.h"

#include <cmath>
#include <limits>

#include <torch/autograd.h>
#include <torch/nn/modules/embedding.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

torch::Tensor one_hot_rows(std::int64_t count) {
  return torch::eye(count, torch::kFloat);  // [V, V]
}

TEST_CASE("one-hot rows are all the square root of two apart and have no cosine in common") {
  const auto rows = one_hot_rows(27);
  const auto others = torch::eye(27, torch::kBool).logical_not();
  const auto distances = torch::cdist(rows.to(torch::kDouble), rows.to(torch::kDouble));
  REQUIRE(torch::allclose(distances.masked_select(others),
                          torch::full({27 * 26}, std::sqrt(2.0), torch::kDouble)));
  REQUIRE(torch::equal(pairwise_cosines(rows), torch::eye(27, torch::kDouble)));
}

TEST_CASE("looking a row up equals the one-hot vector times the table") {
  torch::manual_seed(1);
  torch::nn::Embedding embedding(27, 8);
  const auto ids = torch::tensor({3, 0, 26, 3});
  const auto product = torch::one_hot(ids, 27).to(torch::kFloat).matmul(embedding->weight);
  REQUIRE(torch::equal(embedding(ids), product));
}

TEST_CASE("the rows of a learned table are not all equally far apart") {
  torch::manual_seed(1);
  torch::nn::Embedding embedding(27, 8);
  const auto cosines = pairwise_cosines(embedding->weight);
  REQUIRE(cosines.sizes() == torch::IntArrayRef({27, 27}));
  REQUIRE_FALSE(cosines.requires_grad());
  REQUIRE(cosines.std().item<double>() > 0.1);
}

TEST_CASE("cosines follow the angle and ignore the length") {
  const auto table = torch::tensor({{1.0, 0.0}, {0.0, 5.0}, {3.0, 3.0}, {-2.0, 0.0}, {0.0, 0.0}});
  const auto half = std::sqrt(0.5);
  const auto expected = torch::tensor({{1.0, 0.0, half, -1.0, 0.0},
                                       {0.0, 1.0, half, 0.0, 0.0},
                                       {half, half, 1.0, -half, 0.0},
                                       {-1.0, 0.0, -half, 1.0, 0.0},
                                       {0.0, 0.0, 0.0, 0.0, 0.0}},
                                      torch::kDouble);
  REQUIRE(torch::allclose(pairwise_cosines(table), expected, 0, 1e-7));
}

TEST_CASE("nearest neighbours come best first, without the row itself") {
  const auto table = torch::tensor({{1.0, 0.0}, {0.9, 0.1}, {0.0, 1.0}, {-1.0, 0.0}});
  const auto neighbours = nearest_neighbours(table, 2);
  REQUIRE(neighbours.size() == 4);
  REQUIRE(neighbours[0].size() == 2);
  CHECK(neighbours[0][0].id == 1);
  CHECK(std::abs(neighbours[0][0].cosine - 0.9 / std::hypot(0.9, 0.1)) < 1e-7);
  CHECK(neighbours[0][1].id == 2);
  CHECK(neighbours[3][0].id == 2);
}

TEST_CASE("rows that are equally near come in the order of their ids") {
  const auto neighbours = nearest_neighbours(one_hot_rows(6), 5);
  const std::vector<std::vector<std::int64_t>> expected = {{1, 2, 3, 4, 5}, {0, 2, 3, 4, 5},
                                                           {0, 1, 3, 4, 5}, {0, 1, 2, 4, 5},
                                                           {0, 1, 2, 3, 5}, {0, 1, 2, 3, 4}};
  for (std::size_t row = 0; row < expected.size(); ++row) {
    std::vector<std::int64_t> ids;
    for (const auto& neighbour : neighbours[row]) ids.push_back(neighbour.id);
    CHECK(ids == expected[row]);
  }
}

TEST_CASE("a table of more rows than one chunk finds the neighbours that all pairs show") {
  torch::manual_seed(2);
  const auto table = torch::randn({600, 4});
  const auto neighbours = nearest_neighbours(table, 1);
  auto cosines = pairwise_cosines(table);
  cosines.fill_diagonal_(-2);
  const auto best = cosines.argmax(1);
  REQUIRE(neighbours.size() == 600);
  for (std::size_t row = 0; row < 600; ++row) {
    CHECK(neighbours[row][0].id == best[static_cast<std::int64_t>(row)].item<std::int64_t>());
  }
}

TEST_CASE("more neighbours than there are give all of them, none gives none") {
  CHECK(nearest_neighbours(one_hot_rows(3), 10)[1].size() == 2);
  CHECK(nearest_neighbours(one_hot_rows(3), 0)[1].empty());
  CHECK(nearest_neighbours(one_hot_rows(1), 3)[0].empty());
}

TEST_CASE("an embedding table that cannot be compared is refused") {
  REQUIRE_THROWS_AS(pairwise_cosines(torch::zeros({3})), ShapeError);
  REQUIRE_THROWS_AS(nearest_neighbours(one_hot_rows(3), -1), UserError);
  auto broken = one_hot_rows(3);
  broken[1][1] = std::numeric_limits<float>::quiet_NaN();
  REQUIRE_THROWS_WITH(nearest_neighbours(broken, 1), ContainsSubstring("not finite"));
}

}  // namespace
}  // namespace zoo
