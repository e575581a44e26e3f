#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "core/options.h"
#include "text/tokenizer.h"

namespace zoo {

/// What a data file holds.
enum class TextFormat { kLines, kText };
inline EnumNames<TextFormat> names_of(TextFormat) {
  return {{"lines", TextFormat::kLines}, {"text", TextFormat::kText}};
}

/// How text becomes rows of a batch.
enum class TextView { kLines, kWindows, kPrefixes };
inline EnumNames<TextView> names_of(TextView) {
  return {{"lines", TextView::kLines},
          {"windows", TextView::kWindows},
          {"prefixes", TextView::kPrefixes}};
}

/// What becomes of a line that is longer than the model's block.
enum class LongLines { kRefuse, kSkip, kCut };
inline EnumNames<LongLines> names_of(LongLines) {
  return {{"refuse", LongLines::kRefuse}, {"skip", LongLines::kSkip}, {"cut", LongLines::kCut}};
}

struct DataOptions {
  std::string path;
  std::string train_path;
  std::string val_path;
  std::string test_path;
  TextFormat format = TextFormat::kLines;
  double val_fraction = 0.1;
  double test_fraction = 0.0;
  bool deduplicate = true;
  std::int64_t split_seed = 1;
  std::optional<TextView> view;
  std::optional<std::int64_t> window;
  LongLines long_lines = LongLines::kRefuse;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("path", self.path, "One UTF-8 file that is split into train, val and test.");
    visit("train_path", self.train_path, "The training split, where the data comes already split.");
    visit("val_path", self.val_path, "The validation split that goes with train_path.");
    visit("test_path", self.test_path, "The test split that goes with train_path.");
    visit("format", self.format,
          "lines: an example a line; text: running text, split by position.");
    visit("val_fraction", self.val_fraction, "Share of path that becomes the validation split.",
          at_least(0).below(1));
    visit("test_fraction", self.test_fraction, "Share of path that becomes the test split.",
          at_least(0).below(1));
    visit("deduplicate", self.deduplicate,
          "Keep each distinct line once, so that none stands in two splits.");
    visit(
        "split_seed", self.split_seed,
        "Seed of the order in which lines are dealt to splits; the run's seed does not move them.",
        at_least(0));
    visit("view", self.view,
          "lines or windows: a target at each position; prefixes: the next token after the last "
          "block_size ones. Unset: what the architecture reads.");
    visit("window", self.window,
          "Tokens in a window of running text. Unset: the model's block_size, or 256 without one.",
          at_least(1));
    visit("long_lines", self.long_lines, "What becomes of a line that is longer than the block.");
  }
  void validate(const std::string& path) const;
};

/// One split as a stream of tokens. Lines: "$emma$ava$", a boundary between neighbours.
struct TextSplit {
  std::string name;  ///< train, val or test
  std::vector<std::int32_t> tokens;
  /// Where each line's leading boundary lies, and the last boundary of all: lines + 1 entries.
  /// Running text is one "line": {0, tokens - 1}. Empty for a split that has nothing.
  std::vector<std::int64_t> starts;

  bool empty() const { return starts.empty(); }
  /// Lines, or 1 for running text.
  std::int64_t size() const { return empty() ? 0 : static_cast<std::int64_t>(starts.size()) - 1; }
};

/// A file that the data came from, so that a run can prove that it is the same.
struct SourceFile {
  std::string option;  ///< path, train_path, val_path or test_path
  std::filesystem::path path;
  std::string sha256;
  std::int64_t bytes = 0;
};

/// Text that was read, split and encoded.
struct TextData {
  TextFormat format = TextFormat::kLines;
  std::shared_ptr<const Tokenizer> tokenizer;
  TextSplit train, val, test;
  std::vector<SourceFile> files;
  std::vector<std::string> notes;  ///< what a careful user wants to be told, one sentence each

  /// The split of that name. Throws UserError for an unknown name and for a split without data,
  /// naming those that there are.
  const TextSplit& split(const std::string& name) const;
};

/// Reads the files that the options name (paths as they are), splits, learns the tokenizer from the
/// training split unless one is given, and encodes. Throws UserError: file missing or empty, bad
/// UTF-8 with its offset, a split without data, an unknown character with its line.
TextData load_text_data(const DataOptions& options, const TokenizerOptions& tokenizer_options,
                        std::shared_ptr<const Tokenizer> tokenizer = nullptr);

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

}  // namespace zoo
