#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// An array of unsigned bytes.
struct IdxArray {
  std::vector<std::int64_t> sizes;  ///< 1 to 4, the outermost first
  std::string_view values;          ///< a part of the bytes it was read from
};

/// An idx file, the format of MNIST: two zeros, the type of a value, the number of dimensions, the
/// sizes in 32 bits (the highest byte first), the values. Throws UserError: no idx file, values
/// that are no unsigned bytes, another number of bytes than the sizes say.
IdxArray parse_idx(std::string_view bytes, const std::string& source);

}  // namespace zoo
