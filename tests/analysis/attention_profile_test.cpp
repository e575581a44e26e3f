#include "analysis/attention_profile.h"

#include <cmath>

#include "tests/support/catch.h"

namespace zoo {
namespace {

TEST_CASE("an exponent is fitted to a power law") {
  std::vector<double> x, y;
  for (const double value : {3.0, 10.0, 40.0}) {
    x.push_back(value);
    y.push_back(0.7 * std::pow(value, 1.75));
  }
  CHECK(fitted_exponent(x, y) == Approx(1.75));
}

TEST_CASE("explicit attention keeps what grows with the square of the length, fused does not") {
  const auto profiles = profile_attention(32, 2, {128, 256, 512});
  REQUIRE(profiles.size() >= 2);
  for (const auto& profile : profiles) {
    REQUIRE(profile.figures.size() == 3);
    for (const auto& figures : profile.figures) {
      CHECK(figures.milliseconds > 0.0);
      CHECK(figures.peak_bytes > 0);
    }
  }
  CHECK(profiles[0].path == "explicit");
  // Weights of two heads alone are 2 x 512 x 512 floats.
  CHECK(profiles[0].figures[2].peak_bytes > 2 * 512 * 512 * 4);
  CHECK(profiles[0].memory_exponent > 1.7);
  CHECK(profiles[1].path == "fused");
  CHECK(profiles[1].memory_exponent < 1.3);
}

}  // namespace
}  // namespace zoo
