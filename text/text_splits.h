#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_data.h"
#include "text/text_files.h"

namespace zoo {

/// A line of a file and where it stands. Of running text it keeps its line break.
struct TextLine {
  std::string_view text;
  const TextFile* file = nullptr;
  std::int64_t number = 0;  ///< from 1
};

/// The lines of train, val and test, in this order.
using SplitLines = std::array<std::vector<TextLine>, 3>;

inline constexpr std::array<const char*, 3> kSplitNames = {"train", "val", "test"};

/// Deals the lines of one file to the splits in an order that split_seed fixes, or cuts running
/// text by position. Throws UserError for a split that is asked for and gets nothing.
SplitLines split_file(const TextFile& file, const DataOptions& options,
                      std::vector<std::string>& notes);

/// The lines of files that are already split: train, and val and test where there are such files.
SplitLines take_split_files(const std::vector<TextFile>& files, const DataOptions& options,
                            std::vector<std::string>& notes);

}  // namespace zoo
