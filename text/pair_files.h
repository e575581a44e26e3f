#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/data_options.h"
#include "text/pairs.h"

namespace zoo {

/// What the columns of a tab-separated file mean.
struct TableColumns {
  std::int64_t source = 1;  ///< from 1
  std::int64_t target = 2;
  bool header = false;  ///< whether the first line is skipped
  const char* source_name = "source";
  const char* target_name = "target";
};

/// The columns that the options name, or those of their format.
TableColumns columns_of(const DataOptions& options);

/// Pairs of a file, and how many of its lines were empty and skipped.
struct PairLines {
  std::vector<TextPair> pairs;
  std::int64_t empty_lines = 0;
};

/// The pairs of a tab-separated text. Throws UserError naming `path` and the line: too few columns,
/// an empty source or target.
PairLines read_table(std::string_view text, const std::string& path, const TableColumns& columns);

/// The pairs of two texts that go line by line. Throws UserError: different numbers of lines, a
/// line that is empty on one side.
PairLines read_parallel(std::string_view sources, const std::string& source_path,
                        std::string_view targets, const std::string& target_path,
                        const TableColumns& columns);

/// Reads the file that the option `option` names, and its parallel one unless `target_path` is "".
/// The files go to data.files, what was skipped to data.notes. Throws UserError naming file, line
/// and rule, also for files that hold no pair.
std::vector<TextPair> read_pair_files(const std::string& option, const std::string& path,
                                      const std::string& target_path, const DataOptions& options,
                                      PairData& data);

}  // namespace zoo
