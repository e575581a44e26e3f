#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "text/data_options.h"
#include "text/token_stream.h"
#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// Where an example of a split came from.
struct ExamplePlace {
  std::int32_t file = -1;   ///< index into the data's files; -1: made, not read
  std::int64_t number = 0;  ///< line or message, from 1
};

/// One split as a stream of tokens. Lines: "$emma$ava$", a boundary between neighbours. Pairs:
/// "$forty two[SEP]kırk iki$one[SEP]bir$". Where labels are classes, texts are laid out as lines.
struct TextSplit {
  std::string name;  ///< train, val or test
  TokenStream tokens;
  /// Where each example's leading boundary lies, and the last boundary of all: examples + 1
  /// entries. Running text is one example: {0, tokens - 1}. Empty for a split that has nothing.
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> separators;  ///< where the separator of each pair lies; none of others
  std::vector<std::int32_t> labels;      ///< the class of each example; none of others
  std::vector<ExamplePlace> places;      ///< of each example; none of running text
  std::shared_ptr<const std::vector<SourceFile>> files;  ///< that the places are about
  /// Characters of the original text that are predicted, the end of a line counted as one.
  std::int64_t characters = 0;

  bool empty() const { return starts.empty(); }
  /// Examples, or 1 for running text.
  std::int64_t size() const { return empty() ? 0 : static_cast<std::int64_t>(starts.size()) - 1; }
  /// "FILE, line 12 (val)", for messages.
  std::string place_of(std::int64_t example) const;
};

/// What a task asks of the data beside its text.
struct TextNeeds {
  /// The tokenizer has a separator (also where there are no pairs), a mask and padding, BERT's
  /// [SEP], [MASK] and [PAD]; for running text a mask only.
  bool marks = false;
  bool classes = false;  ///< labels are classes, not text to write
  /// Sources have a vocabulary of their own.
  std::optional<TokenizerOptions> source_tokenizer = {};
};

/// The tokenizers of a data set.
struct Tokenizers {
  std::shared_ptr<const Tokenizer> target = {};  ///< of targets and of everything that is no source
  std::shared_ptr<const Tokenizer> source = {};  ///< of sources; null: the same
};

/// Text that was read, split and encoded.
struct TextData {
  TextFormat format = TextFormat::kLines;
  std::shared_ptr<const Tokenizer> tokenizer;         ///< of targets, lines and running text
  std::shared_ptr<const Tokenizer> source_tokenizer;  ///< of sources; the same unless they need one
  std::vector<std::string> classes;  ///< the labels of train, sorted; empty where they are text
  TextSplit train, val, test;
  std::vector<SourceFile> files;
  std::vector<std::string> notes;  ///< what a careful user wants to be told, one sentence each

  /// The split of that name. Throws UserError for an unknown name and for a split without data,
  /// naming those that there are.
  const TextSplit& split(const std::string& name) const;
};

/// Reads or makes the data that the options name (paths as they are), splits it, learns each
/// tokenizer from the training split unless it is given (`made`) or its options name one, and
/// encodes. Throws UserError: file missing or empty, bad UTF-8 with its offset, a split without
/// data, an unknown character or label with its line, a tokenizer without what the task needs.
TextData load_text_data(const DataOptions& options, const TokenizerOptions& tokenizer_options,
                        const TextNeeds& needs = {}, const Tokenizers& made = {});

/// Answers whether a text stands in the training split: as a whole line, or anywhere in running
/// text.
class TrainingTextIndex {
 public:
  explicit TrainingTextIndex(const TextData& data);
  bool contains(const std::string& text) const;

 private:
  std::unordered_set<std::string> lines_;
  std::string text_;  ///< running text
};

/// The index of the training split; none of a text that is too large to be held in memory.
std::unique_ptr<const TrainingTextIndex> index_training_text(const TextData& data);

}  // namespace zoo
