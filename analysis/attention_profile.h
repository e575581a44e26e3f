#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zoo {

/// Causal self-attention of one row of T tokens, forward and backward.
struct AttentionFigures {
  std::int64_t length = 0;      ///< T
  double milliseconds = 0.0;    ///< the median of some repeats
  std::int64_t peak_bytes = 0;  ///< most that is held at a time beside q, k and v
};

/// One way to compute it, over several lengths.
struct AttentionProfile {
  std::string path;  ///< "explicit", "fused" (LibTorch's), or "kernel" (ours)
  std::vector<AttentionFigures> figures;
  double time_exponent = 0.0;  ///< p of time ~ T^p, fitted
  double memory_exponent = 0.0;
};

/// Measures every way at every length, on the CPU. `kernel` is left out where it does not serve.
/// @param lengths two at least
std::vector<AttentionProfile> profile_attention(std::int64_t d_model, std::int64_t n_heads,
                                                const std::vector<std::int64_t>& lengths);

/// The p of y ~ x^p that is nearest in logarithms (least squares).
double fitted_exponent(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace zoo
