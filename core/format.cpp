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

}  // namespace zoo
