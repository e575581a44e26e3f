#include "vision/image_set.h"

#include "core/errors.h"

namespace zoo {

std::string_view ImageSet::pixels_of(std::int64_t image) const {
  const auto count = static_cast<std::size_t>(size.pixels());
  const auto* begin = images.pixels.data() + static_cast<std::size_t>(image) * count;
  return {reinterpret_cast<const char*>(begin), count};
}

std::int32_t LabelNumbers::of(const std::string& label) {
  const auto [entry, added] = numbers_.try_emplace(label, static_cast<std::int32_t>(names_.size()));
  if (added) names_.push_back(label);
  return entry->second;
}

void require_set_bytes(std::int64_t count, const ImageSize& size, const std::string& path) {
  require<UserError>(count <= kMostSetBytes / size.pixels(), path, ": ", count, " images of ",
                     size.channels, " x ", size.height, " x ", size.width, " are more than ",
                     kMostSetBytes,
                     " bytes, the most that are held; make them smaller (of a "
                     "folder: data.height and data.width), or fewer");
}

}  // namespace zoo
