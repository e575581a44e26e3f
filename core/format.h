#pragma once

#include <cstdint>
#include <string>

namespace zoo {

/// A number with so many digits after the point; "inf" for infinity.
std::string fixed_digits(double value, int digits);

/// A number with so many significant digits, in powers of ten where that is shorter.
std::string significant_digits(double value, int digits);

/// "200,512"
std::string with_commas(std::int64_t value);

}  // namespace zoo
