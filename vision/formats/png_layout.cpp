#include "vision/formats/png_layout.h"

#include "core/errors.h"
#include "vision/formats/image_limits.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

constexpr std::size_t kAroundChunk = 12;  // length, type and checksum
constexpr std::size_t kHeaderLength = 13;
constexpr std::int64_t kMostExpansion = 1032;  // of deflate

std::int64_t number_at(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  }
  return value;
}

/// Samples of a pixel in the file, by colour type; 0 where there is no such type.
std::int64_t samples_of(int colour_type) {
  switch (colour_type) {
    case 0:
    case 3:
      return 1;
    case 4:
      return 2;
    case 2:
      return 3;
    case 6:
      return 4;
    default:
      return 0;
  }
}

/// What lies in one chunk of the file.
struct Chunk {
  std::string_view type;
  std::string_view data;
};

/// Takes the next chunk off the bytes.
Chunk take_chunk(std::string_view& rest, std::size_t size, const std::string& source) {
  const bool whole_header = rest.size() >= kAroundChunk;
  const auto length = whole_header ? static_cast<std::size_t>(number_at(rest, 0)) : 0;
  require<UserError>(whole_header && length <= rest.size() - kAroundChunk, source,
                     ": PNG cut short after ", size, " bytes; replace the file or remove it");
  const Chunk chunk{rest.substr(4, 4), rest.substr(8, length)};
  rest.remove_prefix(length + kAroundChunk);
  return chunk;
}

void require_holds(const PngLayout& layout, std::int64_t bits, std::int64_t data_bytes,
                   const std::string& source) {
  const auto needed = layout.height * ((layout.width * bits + 7) / 8);
  require<UserError>(needed <= data_bytes * kMostExpansion, source, ": broken PNG: ", data_bytes,
                     " bytes of data cannot hold ", layout.height, " x ", layout.width,
                     " pixels; replace the file or remove it");
}

}  // namespace

PngLayout read_png_layout(std::string_view bytes, const std::string& source) {
  require<UserError>(bytes.starts_with(kPngSignature), source,
                     ": no PNG: its first eight bytes are others");
  auto rest = bytes.substr(kPngSignature.size());
  const auto header = take_chunk(rest, bytes.size(), source);
  require<UserError>(header.type == "IHDR" && header.data.size() == kHeaderLength, source,
                     ": broken PNG: it does not begin with its header; replace the file or remove "
                     "it");
  const PngLayout layout{number_at(header.data, 4), number_at(header.data, 0)};
  require_image_size(layout.height, layout.width, source);
  const auto bits = static_cast<unsigned char>(header.data[8]);
  require<UserError>(bits != 16, source,
                     ": PNG of 16 bits a channel; 8 are read, so convert the image");
  std::int64_t data_bytes = 0;
  for (Chunk chunk; chunk.type != "IEND";) {
    chunk = take_chunk(rest, bytes.size(), source);
    require<UserError>(chunk.type != "acTL", source,
                       ": animated PNG; save one of its images, or remove it");
    if (chunk.type == "IDAT") data_bytes += static_cast<std::int64_t>(chunk.data.size());
  }
  require_holds(layout, samples_of(static_cast<unsigned char>(header.data[9])) * bits, data_bytes,
                source);
  return layout;
}

}  // namespace zoo
