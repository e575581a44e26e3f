#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// The training source that is most like a text: the baseline of a translator gives its target.
///
/// Alike is the mean over the orders 1 to 6 of Dice's coefficient of both multisets of character
/// n-grams, 2 |A and B| / (|A| + |B|), letter case and white space counting, start and end marked,
/// the mark alone no gram. Exact, by an inverted index of the grams.
class NearestSource {
 public:
  /// The sources are UTF-8; a byte that is not is a character. Throws std::invalid_argument for
  /// none.
  explicit NearestSource(const std::vector<std::string>& sources);

  /// Index of the source that is most like the text; the first of equally like ones, and so the
  /// first of all where none has a gram of it.
  std::size_t nearest(std::string_view text) const;

 private:
  /// How often a source has a gram.
  struct Count {
    std::uint64_t gram = 0;  ///< its hash
    std::uint32_t source = 0;
    std::uint32_t count = 0;
  };

  std::vector<Count> counts_;           ///< sorted by gram
  std::vector<std::uint32_t> lengths_;  ///< characters of each source
};

}  // namespace zoo
