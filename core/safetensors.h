#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// One tensor of a safetensors file: where its bytes lie and how they are to be read.
struct TensorEntry {
  std::string name;
  std::string dtype;  ///< BOOL, U8, I8, I16, I32, I64, F16, BF16, F32 or F64
  std::vector<std::int64_t> shape;
  std::string_view bytes;  ///< little-endian, row-major
};

/// The content of a safetensors file; entries point into the bytes that were parsed.
struct Safetensors {
  std::vector<TensorEntry> tensors;
  std::map<std::string, std::string> metadata;
};

/// Bytes of one element of a supported dtype, 0 for any other name.
std::int64_t bytes_of_dtype(std::string_view dtype);

/// Reads a whole safetensors file strictly: no holes, overlaps, trailing bytes, duplicate names or
/// sizes that overflow; header <= 16 MiB, <= 65,536 tensors, rank <= 8. `source` names the file in
/// messages. Throws UserError that says which rule is broken and where.
Safetensors parse_safetensors(std::string_view bytes, const std::string& source);

/// The inverse: tensors sorted by falling element size, then name, so that each lies aligned.
std::string write_safetensors(std::vector<TensorEntry> tensors,
                              const std::map<std::string, std::string>& metadata);

}  // namespace zoo
