#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "text/data_options.h"

namespace zoo {

/// A source and what is to be written for it; of labelled lines, a text and its label.
struct TextPair {
  std::string source;
  std::string target;
  std::int32_t file = 0;    ///< index into PairData::files; -1: synthetic
  std::int64_t number = 0;  ///< line or message in it, from 1
};

/// Pairs, dealt to train, val and test.
struct PairData {
  std::vector<SourceFile> files;
  std::array<std::vector<TextPair>, 3> splits;
  std::vector<std::string> notes;  ///< what a careful user wants to be told, one sentence each
};

/// Reads or makes the pairs that the options name (paths as they stand) and splits them: no source
/// stands in two splits. Throws UserError naming file, line and rule.
PairData load_pairs(const DataOptions& options);

}  // namespace zoo
