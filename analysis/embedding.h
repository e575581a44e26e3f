#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

namespace zoo {

/// Another row of an embedding table and how alike it points.
struct Neighbour {
  std::int64_t id = 0;
  double cosine = 0;  ///< in [-1, 1]; 0 beside a row of zeros
};

/// Cosines of every row with every other: rows [V, d] -> [V, V] float64.
/// Throws ShapeError unless the table has two dimensions, UserError if a value is not finite.
torch::Tensor pairwise_cosines(const torch::Tensor& table);

/// For each row of table [V, d] the rows nearest by cosine, best first, itself left out; the lower
/// id first where two are alike. `count` a row, or V - 1 if that is less. Errors as above, and
/// UserError if count is negative.
std::vector<std::vector<Neighbour>> nearest_neighbours(const torch::Tensor& table,
                                                       std::int64_t count);

}  // namespace zoo
