#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace zoo {

/// Neighbours in the order of one epoch.
struct EpochPart {
  std::int64_t epoch = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// What batch `number` holds where the rows of all epochs form one sequence without end, so that
/// every batch is full: one part, or more where epochs meet in it.
inline std::vector<EpochPart> parts_of_batch(std::int64_t number, std::int64_t batch_size,
                                             std::int64_t rows) {
  std::vector<EpochPart> parts;
  const auto end = (number + 1) * batch_size;
  for (auto row = number * batch_size; row < end; row += parts.back().count) {
    const auto first = row % rows;
    parts.push_back({row / rows, first, std::min(end - row, rows - first)});
  }
  return parts;
}

}  // namespace zoo
