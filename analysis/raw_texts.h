#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/text_counts.h"
#include "text/data_options.h"
#include "text/pairs.h"
#include "text/running_text.h"
#include "text/text_files.h"

namespace zoo {

/// An example before any tokenizer has seen it.
struct RawExample {
  std::string_view source;  ///< a line; of labelled lines the text
  std::string_view target;  ///< of pairs; of labelled lines the label
};

/// The text of train, val and test as load_text_data splits it, before any tokenizer has seen it.
class RawTexts {
 public:
  /// Reads what the options name, paths as they are. Throws UserError as load_text_data does.
  explicit RawTexts(const DataOptions& options);
  RawTexts(const RawTexts&) = delete;
  RawTexts& operator=(const RawTexts&) = delete;

  /// The examples of a split, 0 train, 1 val, 2 test, in load_text_data's order; none of running
  /// text.
  const std::vector<RawExample>& examples(std::size_t split) const { return examples_[split]; }
  /// What the split is of running text; empty else.
  const TextRange& range(std::size_t split) const { return ranges_[split]; }

 private:
  void read_lines(const DataOptions& options);
  void read_pairs(const DataOptions& options);

  std::vector<TextFile> files_;
  PairData pairs_;
  std::vector<RunningText> texts_;
  std::array<std::vector<RawExample>, 3> examples_;
  std::array<TextRange, 3> ranges_;
};

/// What was counted in the raw text of a split.
struct RawCounts {
  /// By the vocabulary that has to know the characters: sources may have one of their own, the
  /// second.
  std::array<CharacterCounts, 2> alphabets;
  LengthCounts sources;  ///< characters of lines, texts and sources
  LengthCounts targets;  ///< and of targets
  std::int64_t characters = 0;
  std::int64_t first_line = 1;  ///< of running text, in its file
};

/// Counts examples, of pairs with their targets or without.
RawCounts count_examples(const std::vector<RawExample>& examples, bool targets, bool own_sources);

/// Counts the lines of running text, whose ends are characters but not of the lines.
RawCounts count_lines(const TextRange& range);

}  // namespace zoo
