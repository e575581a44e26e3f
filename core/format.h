#pragma once

#include <string>

namespace zoo {

/// A number with so many digits after the point; "inf" for infinity.
std::string fixed_digits(double value, int digits);

}  // namespace zoo
