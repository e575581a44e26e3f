#include "analysis/embedding.h"

#include <algorithm>

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/errors.h"

namespace zoo {
namespace {

/// table [V, d] -> [V, d] float64 on the CPU, rows of length 1; a row of zeros stays as it is.
torch::Tensor unit_rows(const torch::Tensor& table) {
  require<ShapeError>(table.dim() == 2, "embedding table: got ", table.sizes(),
                      "; expected [V, d]");
  const auto rows = table.detach().to(at::kCPU, at::kDouble);
  require<UserError>(rows.isfinite().all().item<bool>(),
                     "embedding table: has values that are not finite; load an earlier checkpoint");
  const auto lengths = rows.norm(2, /*dim=*/1, /*keepdim=*/true);  // [V, 1]
  return rows / lengths.masked_fill(lengths == 0, 1);
}

/// The best of one row of cosines [V].
std::vector<Neighbour> best_of(const double* cosines, std::int64_t rows, std::int64_t self,
                               std::int64_t count) {
  std::vector<Neighbour> others;
  others.reserve(static_cast<std::size_t>(rows));
  for (std::int64_t id = 0; id < rows; ++id) {
    if (id != self) others.push_back({id, cosines[id]});
  }
  const auto kept = std::min(count, static_cast<std::int64_t>(others.size()));
  std::partial_sort(others.begin(), others.begin() + kept, others.end(),
                    [](const Neighbour& a, const Neighbour& b) {
                      return a.cosine != b.cosine ? a.cosine > b.cosine : a.id < b.id;
                    });
  others.resize(static_cast<std::size_t>(kept));
  return others;
}

}  // namespace

torch::Tensor pairwise_cosines(const torch::Tensor& table) {
  const auto units = unit_rows(table);
  return units.mm(units.t()).clamp(-1, 1);  // [V, V]
}

std::vector<std::vector<Neighbour>> nearest_neighbours(const torch::Tensor& table,
                                                       std::int64_t count) {
  require<UserError>(count >= 0, "neighbours: got ", count, "; ask for 0 or more");
  const auto units = unit_rows(table);
  const auto rows = units.size(0);
  std::vector<std::vector<Neighbour>> result;
  constexpr std::int64_t kChunk = 256;  // rows at a time: all pairs of 50,257 rows take 20 GB
  for (std::int64_t start = 0; start < rows; start += kChunk) {
    const auto length = std::min(kChunk, rows - start);
    const auto cosines = units.narrow(0, start, length).mm(units.t()).clamp(-1, 1).contiguous();
    for (std::int64_t row = 0; row < length; ++row) {
      result.push_back(
          best_of(cosines.const_data_ptr<double>() + row * rows, rows, start + row, count));
    }
  }
  return result;
}

}  // namespace zoo
