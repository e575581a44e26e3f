#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_data.h"

namespace zoo {

/// A part of a text that stands in the training data.
struct TrainingSubstring {
  std::int64_t characters = 0;  ///< code points; 0: not even one character stands there
  std::string text;
};

/// Finds the longest substring of a text that stands in the training data, within one example of
/// it. Exact, by a suffix automaton of the text (Blumer et al. 1985) through which the training
/// data runs: the time grows with the training data and the memory with the text, without an index.
class LongestTrainingSubstring {
 public:
  /// The examples are UTF-8; running text is one example.
  explicit LongestTrainingSubstring(const std::vector<std::string_view>& examples);
  /// The training split, of pairs source, separator and target, as its tokenizer gives it back.
  explicit LongestTrainingSubstring(const TextData& data);

  /// The longest such substring, of equally long ones that which the training data has first. A
  /// byte of `text` that is not UTF-8 stands nowhere. Memory: some 150 bytes for each character of
  /// `text`.
  TrainingSubstring find(std::string_view text) const;

  /// Bytes of the training data that are held.
  std::int64_t bytes() const { return static_cast<std::int64_t>(training_.size()); }

 private:
  void add(std::string_view example);

  std::string training_;  ///< a byte that is not UTF-8 ends each example
};

/// That of the training split; none of a text that is too large to be held in memory: of more than
/// 2^25 tokens, as index_training_text, or 64 MiB.
std::unique_ptr<const LongestTrainingSubstring> longest_training_substring(const TextData& data);

}  // namespace zoo
