#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// How long the examples of a split are.
struct Lengths {
  std::int64_t shortest = 0;
  std::int64_t median = 0;  ///< by nearest rank, so a length that there is; the percentile as well
  std::int64_t percentile_95 = 0;
  std::int64_t longest = 0;
  std::string longest_place = {};  ///< where the first of the longest stands
};

/// Counts lengths one after another, in memory that grows with the distinct ones.
class LengthCounts {
 public:
  void add(std::int64_t length);
  std::int64_t size() const { return size_; }
  /// The number of the first of the longest, from 0 in the order of add.
  std::int64_t first_longest() const { return first_longest_; }
  /// All but the place; zeros where nothing was added.
  Lengths lengths() const;

 private:
  std::int64_t percentile(std::int64_t percent) const;

  std::map<std::int64_t, std::int64_t> counts_;
  std::int64_t size_ = 0;
  std::int64_t first_longest_ = 0;
};

/// A character and how often it stands somewhere.
struct CharacterCount {
  char32_t character = 0;
  std::int64_t count = 0;
  std::int64_t first = 0;        ///< the number of the text where it stands first, as given to add
  std::string first_place = {};  ///< that text's place, where it is of interest
};

/// Counts the characters of texts.
class CharacterCounts {
 public:
  /// The text is UTF-8; `number` says which it is. Returns its characters.
  std::int64_t add(std::string_view text, std::int64_t number);
  /// Adds what another has counted.
  void add(const CharacterCounts& others);
  bool contains(char32_t character) const { return counts_.contains(character); }
  /// The rarest first, of equally rare ones by code point.
  std::vector<CharacterCount> rarest_first() const;
  /// Those that `known` does not have.
  CharacterCounts without(const CharacterCounts& known) const;

 private:
  std::map<char32_t, CharacterCount> counts_;
};

}  // namespace zoo
