#include "vision/image_duplicates.h"

#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/errors.h"

namespace zoo {
namespace {

/// What became of the images of one set.
struct DropCounts {
  std::int64_t repeated = 0;
  std::int64_t in_judged = 0;    ///< in a set that is kept first
  std::int64_t other_label = 0;  ///< of both, those that have another label there

  void add_note(const std::string& path, std::vector<std::string>& notes) const {
    const auto add = [&](std::int64_t count, const char* what) {
      if (count > 0) notes.push_back(text_of(path, ": ", count, what));
    };
    add(repeated, " repeated images were dropped.");
    add(in_judged, " images that stand in a split that judges were dropped.");
    add(other_label, " of the dropped images have another label than the one that was kept.");
  }
};

struct SeenImage {
  std::size_t split;
  std::int32_t label;
};

}  // namespace

ImageNumbers all_images(const std::array<ImageSet, 3>& sets) {
  ImageNumbers numbers;
  for (std::size_t split = kTrain; split <= kTest; ++split) {
    numbers[split].resize(static_cast<std::size_t>(sets[split].images.size()));
    std::iota(numbers[split].begin(), numbers[split].end(), 0);
  }
  return numbers;
}

ImageNumbers distinct_images(const std::array<ImageSet, 3>& sets, std::vector<std::string>& notes) {
  ImageNumbers kept;
  std::unordered_map<std::string_view, SeenImage> seen;
  for (const auto split : {kTest, kVal, kTrain}) {
    const auto& set = sets[split];
    DropCounts dropped;
    for (std::int64_t image = 0; image < set.images.size(); ++image) {
      const auto label = set.images.labels[static_cast<std::size_t>(image)];
      const auto [entry, added] = seen.try_emplace(set.pixels_of(image), SeenImage{split, label});
      if (added) {
        kept[split].push_back(image);
        continue;
      }
      ++(entry->second.split == split ? dropped.repeated : dropped.in_judged);
      if (entry->second.label != label) ++dropped.other_label;
    }
    dropped.add_note(set.path, notes);
    require<UserError>(set.images.empty() || !kept[split].empty(), set.path,
                       ": each of its images also stands in another split; bring others, or set "
                       "data.deduplicate to false");
  }
  return kept;
}

void note_equal_images(const std::array<ImageSet, 3>& sets, std::vector<std::string>& notes) {
  for (std::size_t earlier = kTrain; earlier < kTest; ++earlier) {
    std::unordered_set<std::string_view> known;
    for (std::int64_t i = 0; i < sets[earlier].images.size(); ++i) {
      known.insert(sets[earlier].pixels_of(i));
    }
    for (std::size_t later = earlier + 1; later <= kTest; ++later) {
      std::int64_t count = 0;
      for (std::int64_t i = 0; i < sets[later].images.size(); ++i) {
        if (known.contains(sets[later].pixels_of(i))) ++count;
      }
      if (count > 0) {
        notes.push_back(text_of(count, " images of ", kSplitNames[later], " also stand in ",
                                kSplitNames[earlier], "."));
      }
    }
  }
}

std::vector<std::size_t> first_equals(const ImageSet& set,
                                      const std::vector<std::int64_t>& numbers) {
  std::unordered_map<std::string_view, std::size_t> seen;
  std::vector<std::size_t> firsts;
  for (const auto image : numbers) {
    firsts.push_back(seen.try_emplace(set.pixels_of(image), firsts.size()).first->second);
  }
  return firsts;
}

}  // namespace zoo
