#include "kernels/gelu.h"

#include <algorithm>

#include "kernels/vector.h"

namespace zoo {
namespace {

/// Numbers that one thread takes at a time.
constexpr std::int64_t kChunk = 4096;

ZOO_INLINE void gelu(Vector x, Vector& y, Vector& slope) {
  const Vector size = x < 0.0F ? -x : x;
  const Vector t = 1.0F / (size * (0.70710678F * 0.3275911F) + 1.0F);
  const Vector power = exp_of(x * x * -0.5F);
  Vector tail = t * 1.061405429F - 1.453152027F;  // becomes Phi(-|x|)
  tail = tail * t + 1.421413741F;
  tail = tail * t - 0.284496736F;
  tail = tail * t + 0.254829592F;
  tail *= t * power * 0.5F;
  const Vector phi = x < 0.0F ? tail : 1.0F - tail;
  y = x * phi;
  slope = phi + x * power * 0.39894228F;
}

ZOO_KERNEL void gelu_chunk(std::int64_t n, const float* x, float* y, float* slope) {
  std::int64_t i = 0;
  Vector result;
  Vector derivative;
  for (; i + kLanes <= n; i += kLanes) {
    gelu(load(x + i), result, derivative);
    store(y + i, result);
    if (slope != nullptr) store(slope + i, derivative);
  }
  if (i == n) return;
  Vector rest = {};
  for (auto j = i; j < n; ++j) rest[j - i] = x[j];
  gelu(rest, result, derivative);
  for (auto j = i; j < n; ++j) {
    y[j] = result[j - i];
    if (slope != nullptr) slope[j] = derivative[j - i];
  }
}

ZOO_KERNEL void multiply_chunk(std::int64_t n, const float* a, const float* b, float* product) {
  for (std::int64_t i = 0; i < n; ++i) product[i] = a[i] * b[i];
}

}  // namespace

void gelu_forward(std::int64_t n, const float* x, float* y, float* slope) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; i += kChunk) {
    gelu_chunk(std::min(kChunk, n - i), x + i, y + i, slope == nullptr ? nullptr : slope + i);
  }
}

void gelu_backward(std::int64_t n, const float* d_y, const float* slope, float* d_x) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < n; i += kChunk) {
    multiply_chunk(std::min(kChunk, n - i), d_y + i, slope + i, d_x + i);
  }
}

}  // namespace zoo
