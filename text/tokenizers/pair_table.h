#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace zoo {

/// A hash table from two neighbouring pieces to a number. Flat, because every step of byte-pair
/// encoding is a lookup in it.
class PairTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  PairTable() : entries_(std::size_t{1} << bits_) {}

  /// The number of a pair, or kNone. kNone is no piece.
  std::uint32_t find(std::uint32_t left, std::uint32_t right) const {
    return entries_[place_of(key_of(left, right))].value;
  }

  /// The number of a pair, which is kNone until it is set; valid until the next call.
  std::uint32_t& operator()(std::uint32_t left, std::uint32_t right) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    const auto key = key_of(left, right);
    auto& entry = entries_[place_of(key)];
    if (entry.key == kEmpty) {
      entry.key = key;
      ++size_;
    }
    return entry.value;
  }

 private:
  static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
  struct Entry {
    std::uint64_t key = kEmpty;
    std::uint32_t value = kNone;
  };

  static std::uint64_t key_of(std::uint32_t left, std::uint32_t right) {
    return (std::uint64_t{left} << 32) | right;
  }

  /// Where the key is or would be: at most half of the entries are taken, so there is a place.
  std::size_t place_of(std::uint64_t key) const {
    constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
    auto place = static_cast<std::size_t>((key * kGoldenRatio) >> (64 - bits_));
    while (entries_[place].key != key && entries_[place].key != kEmpty) {
      place = (place + 1) & (entries_.size() - 1);
    }
    return place;
  }

  void grow() {
    auto old = std::move(entries_);
    entries_ = std::vector<Entry>(std::size_t{1} << ++bits_);
    for (const auto& entry : old) {
      if (entry.key != kEmpty) entries_[place_of(entry.key)] = entry;
    }
  }

  unsigned bits_ = 4;
  std::vector<Entry> entries_;
  std::size_t size_ = 0;
};

}  // namespace zoo
