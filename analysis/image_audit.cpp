#include "analysis/image_audit.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace zoo {
namespace {

/// What is known of an image by its pixels.
struct Seen {
  std::int32_t label = 0;  ///< of the first
  bool in_train = false;
  bool in_val = false;
  const ImageSplit* last = nullptr;  ///< the split that had it last
};
using SeenImages = std::unordered_map<std::string_view, Seen>;

std::string_view pixels_of(const ImageSplit& split, const ImageSize& size, std::int64_t image) {
  const auto count = static_cast<std::size_t>(size.pixels());
  const auto* first = split.pixels.data() + static_cast<std::size_t>(image) * count;
  return {reinterpret_cast<const char*>(first), count};
}

bool is_blank(std::string_view pixels, const ImageSize& size) {
  const auto area = static_cast<std::size_t>(size.height * size.width);
  for (; !pixels.empty(); pixels.remove_prefix(area)) {
    const auto channel = pixels.substr(0, area);
    if (channel.find_first_not_of(channel.front()) != std::string_view::npos) return false;
  }
  return true;
}

/// Compares an image with all that came before it.
void compare(ImageSplitAudit& audit, const ImageSplit& split, std::int64_t image, Seen& seen) {
  const auto label = split.labels[static_cast<std::size_t>(image)];
  const auto place = split.place_of(image);
  if (seen.last == nullptr) {
    seen.label = label;
  } else {
    if (seen.last == &split) audit.repeated.add(place);
    if (seen.label != label) audit.other_label.add(place);
  }
  if (split.name == "train") {
    seen.in_train = true;
  } else if (seen.in_train) {
    audit.in_train.add(place);
  }
  if (split.name == "val") seen.in_val = true;
  if (split.name == "test" && seen.in_val) audit.in_val.add(place);
  seen.last = &split;
}

}  // namespace

ImageAudit audit_images(const ImageData& data, const ImageOptions& options) {
  ImageAudit audit;
  audit.size = data.size;
  audit.deduplicate = options.deduplicate;
  audit.classes = data.classes;
  audit.files = data.files;
  audit.notes = data.notes;
  SeenImages seen;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    if (split->empty()) continue;
    auto& found = audit.splits.emplace_back();
    found.name = split->name;
    found.images = split->size();
    found.statistics = pixel_statistics(*split, data.size);
    found.class_counts.resize(data.classes.size());
    for (std::int64_t i = 0; i < split->size(); ++i) {
      ++found.class_counts[static_cast<std::size_t>(split->labels[static_cast<std::size_t>(i)])];
      const auto pixels = pixels_of(*split, data.size, i);
      if (is_blank(pixels, data.size)) found.blank.add(split->place_of(i));
      compare(found, *split, i, seen[pixels]);
    }
  }
  return audit;
}

}  // namespace zoo
