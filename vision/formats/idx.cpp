#include "vision/formats/idx.h"

#include <limits>

#include "core/errors.h"
#include "core/sha256.h"

namespace zoo {
namespace {

constexpr std::size_t kMagicSize = 4;
constexpr std::size_t kSizeBytes = 4;
constexpr std::size_t kMostDimensions = 4;
constexpr unsigned char kUnsignedByte = 0x08;

unsigned char byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// The name of a type of values, "" where there is none.
std::string type_name(unsigned char type) {
  switch (type) {
    case kUnsignedByte:
      return "unsigned bytes";
    case 0x09:
      return "signed bytes";
    case 0x0B:
      return "16-bit integers";
    case 0x0C:
      return "32-bit integers";
    case 0x0D:
      return "32-bit floats";
    case 0x0E:
      return "64-bit floats";
    default:
      return "";
  }
}

std::int64_t size_at(std::string_view bytes, std::size_t at) {
  std::int64_t size = 0;
  for (std::size_t i = 0; i < kSizeBytes; ++i) size = size << 8 | byte_at(bytes, at + i);
  return size;
}

}  // namespace

IdxArray parse_idx(std::string_view bytes, const std::string& source) {
  const bool known = bytes.size() >= kMagicSize && bytes.starts_with(std::string_view("\0\0", 2)) &&
                     !type_name(byte_at(bytes, 2)).empty();
  require<UserError>(known, source, ": no idx file: it starts with '",
                     to_hex(bytes.substr(0, kMagicSize)),
                     "'; expected 0000, 08 for unsigned bytes, and the number of dimensions");
  require<UserError>(byte_at(bytes, 2) == kUnsignedByte, source, ": idx file of ",
                     type_name(byte_at(bytes, 2)), "; unsigned bytes are read, so convert it");
  const std::size_t dimensions = byte_at(bytes, 3);
  require<UserError>(dimensions >= 1 && dimensions <= kMostDimensions, source, ": idx file of ",
                     dimensions, " dimensions; 1 to ", kMostDimensions, " are read");
  const auto header = kMagicSize + kSizeBytes * dimensions;
  require<UserError>(bytes.size() >= header, source, ": cut short: ", bytes.size(),
                     " bytes, and its header alone has ", header, "; get the file again");
  IdxArray array;
  std::int64_t count = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    const auto size = size_at(bytes, kMagicSize + kSizeBytes * i);
    require<UserError>(size == 0 || count <= std::numeric_limits<std::int64_t>::max() / size,
                       source, ": its sizes multiply to more than 64 bits hold");
    count *= size;
    array.sizes.push_back(size);
  }
  array.values = bytes.substr(header);
  require<UserError>(static_cast<std::uint64_t>(count) == array.values.size(), source,
                     ": its header announces ", count, " bytes of values, it has ",
                     array.values.size(), "; get the file again");
  return array;
}

}  // namespace zoo
