#include "analysis/machine.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>
#include <string>

#include <torch/types.h>
#include <torch/utils.h>

namespace zoo {
namespace {

/// The value of a line "NAME:   123 kB", in bytes.
std::int64_t kilobytes_of(const char* file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

constexpr std::int64_t kSmallestProduct = 256, kLargestProduct = 8192;
/// A product that takes so long, in seconds, is large enough.
constexpr double kLongProduct = 0.02;
/// Each size is tried for so long, in seconds, and so often at least.
constexpr double kProductTime = 0.1;
constexpr int kProductRepeats = 3;

/// Seconds of one product of square matrices, of this size, that are filled and waited for.
class ProductTimer {
 public:
  ProductTimer(std::int64_t size, torch::Device device)
      : left_(torch::rand({size, size}, torch::device(device))),
        right_(torch::rand_like(left_)),
        product_(torch::empty_like(left_)) {}

  double time() {
    const auto start = std::chrono::steady_clock::now();
    torch::mm_out(product_, left_, right_);
    // Reading a number waits for all the work that is still under way.
    product_[0][0].item<float>();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

 private:
  torch::Tensor left_, right_, product_;
};

/// The best of several.
double seconds_of_product(std::int64_t size, torch::Device device) {
  ProductTimer timer(size, device);
  timer.time();  // the first one makes room
  auto best = std::numeric_limits<double>::infinity();
  double spent = 0.0;
  for (int repeat = 0; repeat < kProductRepeats || spent < kProductTime; ++repeat) {
    const auto seconds = timer.time();
    best = std::min(best, seconds);
    spent += seconds;
  }
  return best;
}

}  // namespace

std::int64_t available_memory() { return kilobytes_of("/proc/meminfo", "MemAvailable"); }

std::int64_t held_memory() { return kilobytes_of("/proc/self/status", "VmRSS"); }

ProductPeak measure_product_peak(c10::Device device) {
  const torch::NoGradGuard no_grad;
  ProductPeak peak;
  double seconds = 0.0;
  for (auto size = kSmallestProduct; size <= kLargestProduct && seconds < kLongProduct; size *= 2) {
    seconds = seconds_of_product(size, device);
    const auto speed = 2.0 * std::pow(static_cast<double>(size), 3) / seconds;
    if (speed > peak.flops_per_second) peak = {speed, size};
  }
  return peak;
}

}  // namespace zoo
