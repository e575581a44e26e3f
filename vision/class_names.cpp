#include "vision/class_names.h"

#include <algorithm>
#include <tuple>

namespace zoo {
namespace {

bool is_whole_number(const std::string& name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string::npos;
}

std::string without_zeros(const std::string& number) {
  return number.substr(std::min(number.find_first_not_of('0'), number.size()));
}

/// By value, however many digits; 7 before 07.
bool is_less(const std::string& a, const std::string& b) {
  const auto left = without_zeros(a), right = without_zeros(b);
  return std::make_tuple(left.size(), left, a.size()) <
         std::make_tuple(right.size(), right, b.size());
}

}  // namespace

void sort_class_names(std::vector<std::string>& names) {
  if (std::all_of(names.begin(), names.end(), is_whole_number)) {
    std::sort(names.begin(), names.end(), is_less);
  } else {
    std::sort(names.begin(), names.end());
  }
}

}  // namespace zoo
