#pragma once

#include <cstdint>

#include <torch/types.h>

#include "models/model.h"

namespace zoo {

/// A target that no loss counts.
inline constexpr std::int64_t kIgnored = -100;

/// What one forward pass needs and what it should have said.
struct Batch {
  Inputs inputs;
  torch::Tensor targets;  ///< [B, T] or, for the last position only, [B]; int64, kIgnored = none
};

/// Batches by number, so that a position is all that resume needs: the batch of a number is a
/// function of (data, seed, number).
class BatchSource {
 public:
  virtual ~BatchSource() = default;
  /// Batches in one pass over the data, at least 1.
  virtual std::int64_t size() const = 0;
  virtual Batch at(std::int64_t number) = 0;
};

}  // namespace zoo
