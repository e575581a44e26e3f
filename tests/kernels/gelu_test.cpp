#include "kernels/gelu.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "tests/support/catch.h"

namespace zoo {
namespace {

TEST_CASE("the GELU kernel and its slope equal the formula in double") {
  for (const std::int64_t n : {1, 8, 13, 9001}) {
    std::vector<float> x, y(static_cast<std::size_t>(n), NAN), slope = y, d_y = y, d_x = y;
    for (std::int64_t i = 0; i < n; ++i) {
      x.push_back(-12.0F + 24.0F * static_cast<float>(i) / static_cast<float>(n));
      d_y[static_cast<std::size_t>(i)] = static_cast<float>(i % 5) - 2.0F;
    }
    gelu_forward(n, x.data(), y.data(), slope.data());
    gelu_backward(n, d_y.data(), slope.data(), d_x.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double phi = 0.5 * (1.0 + std::erf(double{x[i]} / std::numbers::sqrt2));
      const double density = std::exp(-0.5 * x[i] * x[i]) / std::sqrt(2.0 * std::numbers::pi);
      CHECK(std::abs(y[i] - x[i] * phi) < 2e-6);
      CHECK(std::abs(slope[i] - (phi + x[i] * density)) < 1e-6);
      CHECK(d_x[i] == d_y[i] * slope[i]);
    }
  }
}

}  // namespace
}  // namespace zoo
