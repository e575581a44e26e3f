#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/options.h"
#include "core/source_file.h"

namespace zoo {

/// What the data is made of.
enum class TextFormat { kLines, kText, kPairs, kLabelled };
inline EnumNames<TextFormat> names_of(TextFormat) {
  return {{"lines", TextFormat::kLines},
          {"text", TextFormat::kText},
          {"pairs", TextFormat::kPairs},
          {"labelled", TextFormat::kLabelled}};
}

/// Whether examples are a source and a target.
inline bool has_pairs(TextFormat format) {
  return format == TextFormat::kPairs || format == TextFormat::kLabelled;
}

/// How text becomes rows of a batch.
enum class TextView { kLines, kWindows, kPrefixes };
inline EnumNames<TextView> names_of(TextView) {
  return {{"lines", TextView::kLines},
          {"windows", TextView::kWindows},
          {"prefixes", TextView::kPrefixes}};
}

/// What becomes of an example that is longer than the model's block.
enum class LongLines { kRefuse, kSkip, kCut };
inline EnumNames<LongLines> names_of(LongLines) {
  return {{"refuse", LongLines::kRefuse}, {"skip", LongLines::kSkip}, {"cut", LongLines::kCut}};
}

/// Which messages of a catalogue are kept, by their placeholders (%s, %(name)s, {0}).
enum class Placeholders { kKeep, kMatching, kDrop };
inline EnumNames<Placeholders> names_of(Placeholders) {
  return {{"keep", Placeholders::kKeep},
          {"matching", Placeholders::kMatching},
          {"drop", Placeholders::kDrop}};
}

/// A task whose examples are made from a seed.
enum class SyntheticTask {
  kCopy,
  kReverse,
  kSort,
  kAddition,
  kParity,
  kRecall,
  kNumberWords,
  kDates
};
inline EnumNames<SyntheticTask> names_of(SyntheticTask) {
  return {{"copy", SyntheticTask::kCopy},
          {"reverse", SyntheticTask::kReverse},
          {"sort", SyntheticTask::kSort},
          {"addition", SyntheticTask::kAddition},
          {"parity", SyntheticTask::kParity},
          {"recall", SyntheticTask::kRecall},
          {"number_words", SyntheticTask::kNumberWords},
          {"dates", SyntheticTask::kDates}};
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
  std::optional<bool> token_file;
  std::string target_path;
  std::string train_target_path;
  std::string val_target_path;
  std::string test_target_path;
  std::optional<std::int64_t> source_column;
  std::optional<std::int64_t> target_column;
  bool header = false;
  std::optional<std::int64_t> max_characters;
  std::string catalogues;
  std::string catalogue_folder = "/usr/share/locale";
  Placeholders placeholders = Placeholders::kMatching;
  std::optional<SyntheticTask> synthetic;
  std::int64_t examples = 10'000;
  std::int64_t min_length = 1;
  std::int64_t max_length = 8;
  std::int64_t symbols = 10;
  bool reverse_digits = false;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("path", self.path, "One UTF-8 file that is split into train, val and test.");
    visit("train_path", self.train_path, "The training split, where the data comes already split.");
    visit("val_path", self.val_path, "The validation split that goes with train_path.");
    visit("test_path", self.test_path, "The test split that goes with train_path.");
    visit("format", self.format,
          "lines: an example a line; text: running text, split by position; pairs: a source and a "
          "target; labelled: a label and a text.");
    visit("val_fraction", self.val_fraction, "Share of the data that becomes the validation split.",
          at_least(0).below(1));
    visit("test_fraction", self.test_fraction, "Share of the data that becomes the test split.",
          at_least(0).below(1));
    visit("deduplicate", self.deduplicate,
          "Keep each distinct example once, so that none stands in two splits.");
    visit("split_seed", self.split_seed,
          "Seed of the order in which examples are dealt to splits, and of synthetic ones; the "
          "run's seed does not move them.",
          at_least(0));
    visit("view", self.view,
          "lines or windows: a target at each position; prefixes: the next token after the last "
          "block_size ones. Unset: what the architecture reads.");
    visit("window", self.window,
          "Tokens in a window of running text. Unset: the model's block_size, or 256 without one.",
          at_least(1));
    visit("long_lines", self.long_lines,
          "What becomes of an example that is longer than the block: an error, left out, or cut "
          "(of a pair, its source).");
    visit("token_file", self.token_file,
          "Whether the tokens of running text are kept in a file (made once, below ZOO_CACHE or "
          "~/.cache/zoo) instead of in memory. Unset: of text over 64 MiB.");
    visit("target_path", self.target_path,
          "Pairs in two parallel files: the targets, line by line, of the sources in path.");
    visit("train_target_path", self.train_target_path, "The targets of train_path.");
    visit("val_target_path", self.val_target_path, "The targets of val_path.");
    visit("test_target_path", self.test_target_path, "The targets of test_path.");
    visit("source_column", self.source_column,
          "Column of the source or text in a tab-separated file, from 1. Unset: 1 of pairs, 2 of "
          "labelled lines.",
          at_least(1));
    visit("target_column", self.target_column,
          "Column of the target or label. Unset: 2 of pairs, 1 of labelled lines.", at_least(1));
    visit("header", self.header, "Whether the first line of a tab-separated file names columns.");
    visit("max_characters", self.max_characters,
          "Pairs and labelled lines with a longer side are left out. Unset: none.", at_least(1));
    visit("catalogues", self.catalogues,
          "A language, such as tr: pairs are read from its gettext catalogues on this machine.");
    visit("catalogue_folder", self.catalogue_folder,
          "Folder that has <language>/LC_MESSAGES/*.mo; or one with .mo files itself.");
    visit("placeholders", self.placeholders,
          "Catalogue messages with placeholders (%s, {0}): keep all, keep those that have the same "
          "ones on both sides, or drop all.");
    visit("synthetic", self.synthetic, "Pairs are made by rule and split_seed: the task.");
    visit("examples", self.examples,
          "Distinct synthetic examples, all splits together; a task that has fewer gives all.",
          at_least(1));
    visit("min_length", self.min_length, "Fewest symbols, digits or keys of a synthetic example.",
          at_least(1));
    visit("max_length", self.max_length, "Most symbols, digits or keys of a synthetic example.",
          at_least(1).up_to(1000));
    visit("symbols", self.symbols,
          "Kinds of symbols that copy, reverse and sort use: 0 to 9, then a to z.",
          at_least(2).up_to(36));
    visit("reverse_digits", self.reverse_digits,
          "Addition writes its sum's lowest digit first, as one computes it.");
  }
  void validate(const std::string& path) const;

  /// Every option that names a data file, with its name.
  std::vector<std::pair<const char*, std::string*>> paths();

  /// A short name of the data, for folders: the file's, gettext-LANGUAGE, or the synthetic task's.
  std::string name() const;
};

}  // namespace zoo
