#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace zoo {

struct PngLayout {
  std::int64_t height = 0;
  std::int64_t width = 0;
};

/// Walks over the chunks of a PNG file, without decoding any. Throws UserError for what no decoder
/// is to see: too large, 16 bits a channel, animated, cut short, more pixels than its data can
/// hold.
PngLayout read_png_layout(std::string_view bytes, const std::string& source);

}  // namespace zoo
