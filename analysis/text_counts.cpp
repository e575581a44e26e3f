#include "analysis/text_counts.h"

#include <algorithm>

#include "text/utf8.h"

namespace zoo {

void LengthCounts::add(std::int64_t length) {
  if (counts_.empty() || length > counts_.rbegin()->first) first_longest_ = size_;
  ++counts_[length];
  ++size_;
}

std::int64_t LengthCounts::percentile(std::int64_t percent) const {
  const auto rank = (size_ * percent + 99) / 100;
  std::int64_t passed = 0;
  for (const auto& [length, count] : counts_) {
    passed += count;
    if (passed >= rank) return length;
  }
  return 0;
}

Lengths LengthCounts::lengths() const {
  if (counts_.empty()) return {};
  return {counts_.begin()->first, percentile(50), percentile(95), counts_.rbegin()->first};
}

std::int64_t CharacterCounts::add(std::string_view text, std::int64_t number) {
  const auto characters = decode_utf8(text, "a text of the data");
  for (const auto character : characters) {
    ++counts_.try_emplace(character, CharacterCount{character, 0, number}).first->second.count;
  }
  return static_cast<std::int64_t>(characters.size());
}

void CharacterCounts::add(const CharacterCounts& others) {
  for (const auto& [character, other] : others.counts_) {
    const auto [place, added] = counts_.try_emplace(character, other);
    if (added) continue;
    place->second.count += other.count;
    place->second.first = std::min(place->second.first, other.first);
  }
}

std::vector<CharacterCount> CharacterCounts::rarest_first() const {
  std::vector<CharacterCount> characters;
  for (const auto& [character, count] : counts_) characters.push_back(count);
  std::stable_sort(characters.begin(), characters.end(),
                   [](const auto& a, const auto& b) { return a.count < b.count; });
  return characters;
}

CharacterCounts CharacterCounts::without(const CharacterCounts& known) const {
  auto rest = *this;
  std::erase_if(rest.counts_, [&](const auto& entry) { return known.contains(entry.first); });
  return rest;
}

}  // namespace zoo
