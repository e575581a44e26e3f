#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/data_options.h"
#include "text/running_text.h"
#include "text/text_files.h"

namespace zoo {

/// A line of a file and where it stands.
struct TextLine {
  std::string_view text;
  const TextFile* file = nullptr;
  std::int64_t number = 0;  ///< from 1
};

/// The lines of train, val and test, in this order.
using SplitLines = std::array<std::vector<TextLine>, 3>;

inline constexpr std::array<const char*, 3> kSplitNames = {"train", "val", "test"};

/// The files that the options name, with their options' names: path, or train_path and those of the
/// other splits.
std::vector<std::pair<std::string, std::string>> split_files(const DataOptions& options);

/// The numbers 0 .. count-1 dealt to train, val and test by the fractions, in an order that
/// split_seed fixes. Throws UserError for a split of `what` that is asked for and gets nothing.
std::array<std::vector<std::int64_t>, 3> deal(std::int64_t count, const DataOptions& options,
                                              const std::string& what);

/// Deals the lines of one file to the splits in an order that split_seed fixes. Throws UserError
/// for a split that is asked for and gets nothing.
SplitLines split_file(const TextFile& file, const DataOptions& options,
                      std::vector<std::string>& notes);

/// The lines of files that are already split: train, and val and test where there are such files.
SplitLines take_split_files(const std::vector<TextFile>& files, const DataOptions& options,
                            std::vector<std::string>& notes);

/// Which characters of the texts each split has: one text is cut by position, train first; several
/// are train, val and test where there are such files.
std::array<TextRange, 3> text_ranges(const std::vector<RunningText>& texts,
                                     const DataOptions& options);

}  // namespace zoo
