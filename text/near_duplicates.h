#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace zoo {

/// The text with letter case folded, each digit as 0, and each run of punctuation and white space
/// as one space, none at the ends.
std::string normalised_text(std::string_view text);

/// Finds texts that nearly stand in a collection: their normalised form does, or the Jaccard
/// similarity of the sets of 4-character grams of both forms is at least 0.8. Exact, by the prefix
/// filter of Chaudhuri et al. (2006) and Bayardo et al. (2007) and a bitmap filter before each
/// comparison (Sandes et al. 2020).
class NearDuplicateIndex {
 public:
  /// The texts are UTF-8 and distinct; equal ones only cost time.
  explicit NearDuplicateIndex(const std::vector<std::string_view>& texts);

  bool has_near(std::string_view text) const;

 private:
  /// What rules most sets out without a look at their grams.
  struct Signature {
    std::uint32_t number = 0;               ///< of the set
    std::uint32_t size = 0;                 ///< distinct grams
    std::array<std::uint64_t, 2> parity{};  ///< each gram that the collection has flips one bit
  };

  /// A text's distinct grams, by their rank in the collection: the rarest first.
  struct GramSet {
    Signature signature;
    std::vector<std::uint32_t> ranks;  ///< ascending, of the grams that the collection has

    std::size_t prefix() const;
  };

  void rank_grams(const std::vector<const std::string*>& forms);
  GramSet gram_set(const std::string& form) const;
  bool is_near(const GramSet& text, const Signature& known) const;

  std::unordered_set<std::string> forms_;
  std::unordered_map<std::uint64_t, std::uint32_t> ranks_;  ///< of a gram's hash
  std::vector<std::vector<std::uint32_t>> sets_;            ///< ranks
  std::vector<std::vector<Signature>> by_rank_;             ///< the sets whose prefix has that gram
};

}  // namespace zoo
