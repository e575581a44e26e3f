#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace zoo {

/// Remembers how short words of one text were cut, since few different words make up most of it.
/// Bounded: a word takes the place of an earlier one with the same hash.
class WordCache {
 public:
  /// Remembers nothing where the text is so short that a table would not pay.
  explicit WordCache(std::size_t text_size) : slots_(text_size < kLeastText ? 0 : kSlots) {}

  /// Appends what `encode(word, ids)` appends.
  template <class Encode>
  void append(std::string_view word, std::vector<std::int64_t>& ids, const Encode& encode) {
    if (slots_.empty() || word.size() > kLongestWord) return encode(word, ids);
    auto& slot = slots_[std::hash<std::string_view>{}(word) % kSlots];
    if (word == std::string_view(slot.word.data(), slot.word_size)) {
      ids.insert(ids.end(), slot.ids.begin(), slot.ids.begin() + slot.ids_size);
      return;
    }
    const auto start = ids.size();
    encode(word, ids);
    if (ids.size() - start > kMostIds) return;
    std::copy(word.begin(), word.end(), slot.word.begin());
    std::copy(ids.begin() + static_cast<std::ptrdiff_t>(start), ids.end(), slot.ids.begin());
    slot.word_size = static_cast<std::uint8_t>(word.size());
    slot.ids_size = static_cast<std::uint8_t>(ids.size() - start);
  }

 private:
  static constexpr std::size_t kLeastText = 8192;  // bytes
  static constexpr std::size_t kSlots = 4096;
  static constexpr std::size_t kLongestWord = 16;
  static constexpr std::size_t kMostIds = 6;

  struct Slot {
    std::array<char, kLongestWord> word{};
    std::array<std::int64_t, kMostIds> ids{};
    std::uint8_t word_size = 0;
    std::uint8_t ids_size = 0;
  };
  std::vector<Slot> slots_;
};

}  // namespace zoo
