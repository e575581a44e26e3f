#pragma once

#include <cstdint>

#include <c10/core/Device.h>

namespace zoo {

/// Memory that this machine could still give to a program, in bytes; 0: unknown.
std::int64_t available_memory();

/// Memory that this process holds, in bytes; 0: unknown.
std::int64_t held_memory();

/// How fast the fastest matrix product of this machine is.
struct ProductPeak {
  double flops_per_second = 0.0;  ///< 2 per multiply-add
  std::int64_t size = 0;          ///< rows and columns of its matrices
};

/// Measures float32 products of growing square matrices, the best of several of each, with the
/// threads that LibTorch uses now. Takes about half a second.
ProductPeak measure_product_peak(c10::Device device);

}  // namespace zoo
