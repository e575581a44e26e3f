#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/trial.h"
#include "training/config.h"

namespace zoo {

struct Tokenizers;

/// What a split was found to hold.
struct ExaminedSplit {
  std::string name;
  std::int64_t examples = 0;  ///< lines, pairs, texts or images; of running text its lines
  std::int64_t tokens = 0;    ///< none of images
  std::int64_t repeated = 0;  ///< examples equal to an earlier one of the split
  std::int64_t in_train = 0;  ///< examples that also stand in train
  std::optional<std::int64_t> near_train = {};  ///< near duplicates of train, where looked for
  std::int64_t unseen_characters = 0;           ///< distinct ones that train does not have
  std::vector<std::int64_t> class_counts = {};  ///< examples of each class
};

/// How the tokens of the vocabulary occur in the training split.
struct TokenUse {
  std::int64_t vocab_size = 0;  ///< 0: images are read
  std::int64_t used = 0;        ///< tokens that occur
  std::int64_t rare = 0;        ///< tokens of them that occur fewer than kRareToken times
};
inline constexpr std::int64_t kRareToken = 10;

/// What training would take, in bytes.
struct MemoryNeed {
  std::int64_t training = 0;   ///< model, optimizer and a step
  std::int64_t process = 0;    ///< the program with its data
  std::int64_t available = 0;  ///< to both, on this machine; 0: unknown

  std::int64_t in_all() const { return training + process; }
};

/// A config beside its data and this machine: what the advice of a doctor rests on.
struct Examination {
  Config config;
  std::string unit;       ///< what examples are: lines, pairs, texts or images
  std::string device;     ///< that the config means here
  bool gpu_idle = false;  ///< whether a GPU is here and the config does without it

  std::vector<ExaminedSplit> splits;  ///< those that have data, train first
  std::vector<std::string> classes;   ///< of data with labels
  std::string refusal;  ///< why training refuses an example that is too long; empty: it takes all
  std::int64_t left_out = 0;       ///< examples of train that are too long for the block
  bool rows_are_examples = false;  ///< else windows or prefixes of running tokens
  std::int64_t block_size = 0;     ///< most tokens of a row; 0: any number
  std::int64_t longest = 0;        ///< tokens of the longest row of an example that is taken
  TokenUse tokens;

  std::int64_t parameters = 0;
  std::optional<std::int64_t> order;  ///< tokens of a gram, of a model that counts
  std::int64_t batches = 0;           ///< of one pass over train
  std::int64_t steps = 0;             ///< updates of the run
  MemoryNeed memory;
  std::optional<Trial> trial;  ///< none of a model that counts, nor where memory would not do

  const ExaminedSplit& train() const { return splits.front(); }
  /// The split that decides which checkpoint is best: val, or train where there is no val.
  const ExaminedSplit& judging() const;
  /// Passes over train.
  double passes() const;
  /// Evaluations of the run, the first before any update.
  std::int64_t evaluations() const;
  double evaluation_seconds() const;  ///< of all evaluations
  double seconds() const;             ///< of updates and evaluations; samples and saving apart
};

/// Reads the data of a config (paths that exist), builds its model and lets it run for about so
/// many seconds. What training would refuse, an example or a character, is told, and done without.
/// Throws UserError for data that cannot be read at all.
/// @param tokenizers used instead of learning them
Examination examine(const Config& config, const Tokenizers& tokenizers, double trial_seconds = 2.0);

}  // namespace zoo
