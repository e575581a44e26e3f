#include "core/format.h"

#include <cmath>
#include <iomanip>
#include <sstream>

namespace zoo {

std::string fixed_digits(double value, int digits) {
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << value;
  return text.str();
}

std::string significant_digits(double value, int digits) {
  std::ostringstream text;
  text << std::setprecision(digits) << value;
  return text.str();
}

std::string with_commas(std::int64_t value) {
  auto digits = std::to_string(value);
  for (auto at = static_cast<std::int64_t>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace zoo
