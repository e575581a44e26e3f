#pragma once

// Eight floats at a time, through the compiler's vector extension: the same source serves every
// processor. A function marked ZOO_KERNEL is compiled for several and the fitting one is chosen
// when the program starts; what it calls must be ZOO_INLINE, to be compiled along.

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ZOO_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ZOO_KERNEL
#endif
#define ZOO_INLINE static inline __attribute__((always_inline))

namespace zoo {

inline constexpr std::int64_t kLanes = 8;
using Vector = float __attribute__((vector_size(32)));
using IntVector = std::int32_t __attribute__((vector_size(32)));

ZOO_INLINE Vector load(const float* from) {
  Vector v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

ZOO_INLINE void store(float* to, Vector v) { std::memcpy(to, &v, sizeof v); }

ZOO_INLINE float sum_of(Vector v) {
  return ((v[0] + v[4]) + (v[1] + v[5])) + ((v[2] + v[6]) + (v[3] + v[7]));
}

/// The sums of eight vectors: two and two are added in shuffled halves, three times.
ZOO_INLINE Vector sums_of(const Vector (&v)[8]) {
  Vector pairs[4];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const Vector a = v[2 * i];
    const Vector b = v[2 * i + 1];
    pairs[i] = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +
               __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  }
  Vector fours[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    const Vector a = pairs[2 * i];
    const Vector b = pairs[2 * i + 1];
    fours[i] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13) +
               __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  }
  return __builtin_shufflevector(fours[0], fours[1], 0, 1, 2, 3, 8, 9, 10, 11) +
         __builtin_shufflevector(fours[0], fours[1], 4, 5, 6, 7, 12, 13, 14, 15);
}

ZOO_INLINE float largest_of(Vector v) {
  float most = v[0];
  for (int lane = 1; lane < kLanes; ++lane) most = v[lane] > most ? v[lane] : most;
  return most;
}

/// exp(x) for x <= 88, to about one unit in the last place (Cephes expf); e^-87 below -87.
ZOO_INLINE Vector exp_of(Vector x) {
  x = x < -87.0F ? Vector{} - 87.0F : x;
  Vector n = x * 1.44269504F + 12582912.0F;  // rounds x / ln 2 to a whole number
  const IntVector exponent = reinterpret_cast<IntVector>(n) - 0x4B400000;
  n -= 12582912.0F;
  const Vector r = x - n * 0.693359375F + n * 2.12194440e-4F;
  Vector p = r * 1.9875691500e-4F + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  return p * reinterpret_cast<Vector>((exponent + 127) << 23);
}

}  // namespace zoo
