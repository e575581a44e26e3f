#include "analysis/nearest_source.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>
#include <utility>

#include "analysis/character_grams.h"
#include "core/errors.h"

namespace zoo {
namespace {

constexpr std::size_t kOrders = 6;

/// The n-grams of a text: the hash of each and how often it stands there, by order.
struct Grams {
  std::array<std::vector<std::pair<std::uint64_t, std::uint32_t>>, kOrders> orders;
  std::size_t length = 0;  ///< characters

  explicit Grams(std::string_view text) {
    std::array<std::vector<std::uint64_t>, kOrders> hashes;
    length = for_each_gram(text, kOrders, [&](std::size_t order, std::uint64_t hash) {
      hashes[order - 1].push_back(hash);
    });
    for (std::size_t i = 0; i < kOrders; ++i) {
      std::sort(hashes[i].begin(), hashes[i].end());
      for (const auto hash : hashes[i]) {
        if (orders[i].empty() || orders[i].back().first != hash) orders[i].emplace_back(hash, 0);
        ++orders[i].back().second;
      }
    }
  }
};

/// How many grams of an order a text of so many characters has, the marks around it.
std::size_t gram_count(std::size_t length, std::size_t order) {
  if (order == 1) return length;
  return length + 3 > order ? length + 3 - order : 0;
}

}  // namespace

NearestSource::NearestSource(const std::vector<std::string>& sources) {
  require<std::invalid_argument>(
      !sources.empty() && sources.size() <= std::numeric_limits<std::uint32_t>::max(),
      "nearest source: ", sources.size(), " sources; at least one is needed");
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Grams grams(sources[i]);
    lengths_.push_back(static_cast<std::uint32_t>(grams.length));
    for (const auto& order : grams.orders) {
      for (const auto& [gram, count] : order) {
        counts_.push_back({gram, static_cast<std::uint32_t>(i), count});
      }
    }
  }
  std::sort(counts_.begin(), counts_.end(),
            [](const Count& a, const Count& b) { return a.gram < b.gram; });
}

std::size_t NearestSource::nearest(std::string_view text) const {
  const Grams grams(text);
  std::vector<double> likeness(lengths_.size(), 0.0);
  std::vector<std::uint32_t> common(lengths_.size(), 0);
  for (std::size_t order = 1; order <= kOrders; ++order) {
    for (const auto& [gram, count] : grams.orders[order - 1]) {
      auto entry = std::lower_bound(counts_.begin(), counts_.end(), gram,
                                    [](const Count& a, std::uint64_t b) { return a.gram < b; });
      for (; entry != counts_.end() && entry->gram == gram; ++entry) {
        common[entry->source] += std::min(count, entry->count);
      }
    }
    const auto own = gram_count(grams.length, order);
    for (std::size_t i = 0; i < common.size(); ++i) {
      if (common[i] == 0) continue;
      likeness[i] += 2.0 * common[i] / static_cast<double>(own + gram_count(lengths_[i], order));
      common[i] = 0;
    }
  }
  return static_cast<std::size_t>(std::max_element(likeness.begin(), likeness.end()) -
                                  likeness.begin());
}

}  // namespace zoo
