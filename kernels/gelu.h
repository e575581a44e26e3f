#pragma once

#include <cstdint>

namespace zoo {

/// y = x Phi(x) and slope = its derivative, for n numbers, on all threads. Phi through the erf of
/// Abramowitz and Stegun 7.1.26 (error 1.5e-7); one exponential serves both. A null slope is not
/// written.
void gelu_forward(std::int64_t n, const float* x, float* y, float* slope);

/// d_x = d_y slope.
void gelu_backward(std::int64_t n, const float* d_y, const float* slope, float* d_x);

}  // namespace zoo
