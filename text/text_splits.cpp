#include "text/text_splits.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/errors.h"
#include "core/random.h"

namespace zoo {
namespace {

constexpr std::size_t kTrain = 0, kVal = 1, kTest = 2;

/// The lines of a file without empty ones.
std::vector<TextLine> examples_of(const TextFile& file, std::vector<std::string>& notes) {
  std::vector<TextLine> lines;
  std::string_view rest = file.text;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    lines.push_back({rest.substr(0, end), &file, number});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  const auto& path = file.source.path;
  const auto empty = std::erase_if(lines, [](const TextLine& line) { return line.text.empty(); });
  if (empty > 0) notes.push_back(text_of(path, ": ", empty, " empty lines were skipped."));
  require<UserError>(!lines.empty(), path, ": the file has no line that is not empty");
  return lines;
}

/// Keeps the first of equal lines; returns how many others there were.
std::size_t drop_repeats(std::vector<TextLine>& lines) {
  std::unordered_set<std::string_view> seen;
  return std::erase_if(lines, [&](const TextLine& line) { return !seen.insert(line.text).second; });
}

std::unordered_set<std::string_view> distinct_lines(const std::vector<TextLine>& lines) {
  std::unordered_set<std::string_view> distinct;
  for (const auto& line : lines) distinct.insert(line.text);
  return distinct;
}

/// Tells of lines that stand in two splits.
void note_overlaps(const SplitLines& splits, std::vector<std::string>& notes) {
  for (std::size_t earlier = kTrain; earlier < kTest; ++earlier) {
    const auto known = distinct_lines(splits[earlier]);
    for (std::size_t later = earlier + 1; later <= kTest; ++later) {
      const auto lines = distinct_lines(splits[later]);
      const auto count = std::count_if(lines.begin(), lines.end(),
                                       [&](std::string_view line) { return known.contains(line); });
      if (count > 0) {
        notes.push_back(text_of(count, " distinct lines of ", kSplitNames[later], " also stand in ",
                                kSplitNames[earlier], "."));
      }
    }
  }
}

/// Leaves each line once: in train if it stands there, else in val, else in test.
void drop_overlaps(SplitLines& splits, std::vector<std::string>& notes) {
  std::unordered_set<std::string_view> earlier;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    const bool given = !splits[i].empty();
    const auto note = [&](std::size_t count, const char* what) {
      if (count > 0) notes.push_back(text_of(kSplitNames[i], ": ", count, what));
    };
    note(drop_repeats(splits[i]), " repeated lines were dropped.");
    note(
        std::erase_if(splits[i], [&](const TextLine& line) { return earlier.contains(line.text); }),
        " lines that stand in an earlier split were dropped.");
    require<UserError>(!given || !splits[i].empty(), "split ", kSplitNames[i],
                       ": each of its lines stands in an earlier split; bring other lines, or set "
                       "data.deduplicate to false");
    earlier.merge(distinct_lines(splits[i]));
  }
}

void require_share(std::int64_t count, double fraction, std::size_t split,
                   const std::string& path) {
  require<UserError>(count > 0 || fraction == 0, "data.", kSplitNames[split],
                     "_fraction: ", fraction, " of ", path, " gives an empty split ",
                     kSplitNames[split], "; raise it, or set it to 0");
}

void require_train(std::int64_t count, const std::string& path) {
  require<UserError>(count > 0, "data.val_fraction and data.test_fraction leave nothing of ", path,
                     " for train; lower them");
}

/// One text by position: train, then val, then test.
std::array<TextRange, 3> cut_text(const RunningText& text, const DataOptions& options) {
  const auto& path = text.source.path;
  const auto count = text.characters;
  const auto share = [&](double fraction) {
    return static_cast<std::int64_t>(static_cast<double>(count) * fraction);
  };
  const auto val_begin = share(1 - options.val_fraction - options.test_fraction);
  const auto test_begin = share(1 - options.test_fraction);
  require_train(val_begin, path);
  require_share(test_begin - val_begin, options.val_fraction, kVal, path);
  require_share(count - test_begin, options.test_fraction, kTest, path);
  return {TextRange{&text, 0, val_begin}, TextRange{&text, val_begin, test_begin},
          TextRange{&text, test_begin, count}};
}

std::size_t split_of_option(const std::string& option) {
  return option == "train_path" ? kTrain : option == "val_path" ? kVal : kTest;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> split_files(const DataOptions& options) {
  std::vector<std::pair<std::string, std::string>> files = {{"path", options.path},
                                                            {"train_path", options.train_path},
                                                            {"val_path", options.val_path},
                                                            {"test_path", options.test_path}};
  std::erase_if(files, [](const auto& file) { return file.second.empty(); });
  return files;
}

std::array<std::vector<std::int64_t>, 3> deal(std::int64_t count, const DataOptions& options,
                                              const std::string& what) {
  const auto share = [&](double fraction) {
    return std::llround(static_cast<double>(count) * fraction);
  };
  const auto val_end = share(options.val_fraction);
  const auto test_end = val_end + share(options.test_fraction);
  require_share(val_end, options.val_fraction, kVal, what);
  require_share(test_end - val_end, options.test_fraction, kTest, what);
  require_train(count - test_end, what);
  const auto order = random_order(count, static_cast<std::uint64_t>(options.split_seed));
  return {std::vector<std::int64_t>(order.begin() + test_end, order.end()),
          std::vector<std::int64_t>(order.begin(), order.begin() + val_end),
          std::vector<std::int64_t>(order.begin() + val_end, order.begin() + test_end)};
}

SplitLines split_file(const TextFile& file, const DataOptions& options,
                      std::vector<std::string>& notes) {
  auto lines = examples_of(file, notes);
  if (options.deduplicate) {
    const auto dropped = drop_repeats(lines);
    if (dropped > 0) {
      notes.push_back(text_of(file.source.path, ": ", dropped, " repeated lines were dropped."));
    }
  }
  SplitLines splits;
  const auto dealt = deal(static_cast<std::int64_t>(lines.size()), options, file.source.path);
  for (std::size_t split = kTrain; split <= kTest; ++split) {
    for (const auto number : dealt[split]) {
      splits[split].push_back(lines[static_cast<std::size_t>(number)]);
    }
  }
  if (!options.deduplicate) note_overlaps(splits, notes);
  return splits;
}

SplitLines take_split_files(const std::vector<TextFile>& files, const DataOptions& options,
                            std::vector<std::string>& notes) {
  SplitLines splits;
  for (const auto& file : files) {
    splits[split_of_option(file.source.option)] = examples_of(file, notes);
  }
  if (!options.deduplicate) {
    note_overlaps(splits, notes);
    return splits;
  }
  drop_overlaps(splits, notes);
  return splits;
}

std::array<TextRange, 3> text_ranges(const std::vector<RunningText>& texts,
                                     const DataOptions& options) {
  if (!options.path.empty()) return cut_text(texts.front(), options);
  std::array<TextRange, 3> ranges;
  for (const auto& text : texts) {
    ranges[split_of_option(text.source.option)] = {&text, 0, text.characters};
  }
  return ranges;
}

}  // namespace zoo
