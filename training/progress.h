#pragma once

#include <cstdint>
#include <limits>

#include <torch/types.h>
#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// Where a training run stands: all of it, beside parameters, moments and random states, that a
/// checkpoint keeps.
struct Progress {
  std::int64_t step = 0;  ///< updates done; also the position in the data
  std::int64_t evaluated_step = -1;
  std::int64_t best_step = -1;
  double start_loss = std::numeric_limits<double>::infinity();  ///< of the first evaluation
  double best_loss = std::numeric_limits<double>::infinity();
  std::int64_t evaluations_without_gain = 0;
  double seconds = 0.0;  ///< spent so far, interruptions excluded

  /// Loss and predicted tokens since the last report, on the device.
  torch::Tensor window_loss;    // [] float64
  torch::Tensor window_tokens;  // [] float64

  nlohmann::json to_json() const;
  static Progress from_json(const nlohmann::json& json, torch::Device device);
  /// A fresh one whose window lies on the device.
  static Progress start(torch::Device device);
};

}  // namespace zoo
