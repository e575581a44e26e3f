#include "text/text_splits.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/errors.h"
#include "core/random.h"

namespace zoo {
namespace {

constexpr std::size_t kTrain = 0, kVal = 1, kTest = 2;

/// The lines of a part of a file whose first line has the given number, line breaks included.
std::vector<TextLine> lines_of(const TextFile& file, std::string_view part, std::int64_t number) {
  std::vector<TextLine> lines;
  while (!part.empty()) {
    const auto text = part.substr(0, std::min(part.find('\n'), part.size() - 1) + 1);
    lines.push_back({text, &file, number++});
    part.remove_prefix(text.size());
  }
  return lines;
}

/// The lines of a lines file without their breaks and without empty ones.
std::vector<TextLine> examples_of(const TextFile& file, std::vector<std::string>& notes) {
  auto lines = lines_of(file, file.text, 1);
  for (auto& line : lines) {
    if (line.text.ends_with('\n')) line.text.remove_suffix(1);
  }
  const auto path = file.source.path.string();
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

void require_share(std::int64_t count, double fraction, std::size_t split, const TextFile& file) {
  require<UserError>(count > 0 || fraction == 0, "data.", kSplitNames[split],
                     "_fraction: ", fraction, " of ", file.source.path.string(),
                     " gives an empty split ", kSplitNames[split], "; raise it, or set it to 0");
}

void require_train(std::int64_t count, const TextFile& file) {
  require<UserError>(count > 0, "data.val_fraction and data.test_fraction leave nothing of ",
                     file.source.path.string(), " for train; lower them");
}

SplitLines deal_lines(const TextFile& file, const DataOptions& options,
                      std::vector<std::string>& notes) {
  auto lines = examples_of(file, notes);
  if (options.deduplicate) {
    const auto dropped = drop_repeats(lines);
    if (dropped > 0) {
      notes.push_back(
          text_of(file.source.path.string(), ": ", dropped, " repeated lines were dropped."));
    }
  }
  const auto count = static_cast<std::int64_t>(lines.size());
  const auto share = [&](double fraction) {
    return std::llround(static_cast<double>(count) * fraction);
  };
  const auto val_end = share(options.val_fraction);
  const auto test_end = val_end + share(options.test_fraction);
  require_share(val_end, options.val_fraction, kVal, file);
  require_share(test_end - val_end, options.test_fraction, kTest, file);
  require_train(count - test_end, file);

  SplitLines splits;
  const auto order = random_order(count, static_cast<std::uint64_t>(options.split_seed));
  for (std::int64_t i = 0; i < count; ++i) {
    const auto split = i < val_end ? kVal : i < test_end ? kTest : kTrain;
    splits[split].push_back(lines[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
  }
  if (!options.deduplicate) note_overlaps(splits, notes);
  return splits;
}

bool starts_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

/// The text without its first `count` characters.
std::string_view after_characters(std::string_view text, std::int64_t count) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (starts_character(text[at]) && count-- == 0) break;
  }
  return text.substr(at);
}

SplitLines cut_text(const TextFile& file, const DataOptions& options) {
  const std::string_view text = file.text;
  const auto count = std::count_if(text.begin(), text.end(), starts_character);
  const auto share = [&](double fraction) {
    return static_cast<std::int64_t>(static_cast<double>(count) * fraction);
  };
  const auto val_begin = share(1 - options.val_fraction - options.test_fraction);
  const auto test_begin = share(1 - options.test_fraction);
  require_train(val_begin, file);
  require_share(test_begin - val_begin, options.val_fraction, kVal, file);
  require_share(count - test_begin, options.test_fraction, kTest, file);

  SplitLines splits;
  const std::array<std::int64_t, 3> begins = {0, val_begin, test_begin};
  auto end = text.size();
  for (std::size_t i = splits.size(); i-- > 0;) {
    const auto begin = text.size() - after_characters(text, begins[i]).size();
    const auto number = 1 + std::count(text.begin(), text.begin() + begin, '\n');
    splits[i] = lines_of(file, text.substr(begin, end - begin), number);
    end = begin;
  }
  return splits;
}

}  // namespace

SplitLines split_file(const TextFile& file, const DataOptions& options,
                      std::vector<std::string>& notes) {
  return options.format == TextFormat::kText ? cut_text(file, options)
                                             : deal_lines(file, options, notes);
}

SplitLines take_split_files(const std::vector<TextFile>& files, const DataOptions& options,
                            std::vector<std::string>& notes) {
  SplitLines splits;
  for (const auto& file : files) {
    const auto& option = file.source.option;
    const auto split = option == "train_path" ? kTrain : option == "val_path" ? kVal : kTest;
    splits[split] = options.format == TextFormat::kText ? lines_of(file, file.text, 1)
                                                        : examples_of(file, notes);
  }
  if (options.format == TextFormat::kText) return splits;
  if (!options.deduplicate) {
    note_overlaps(splits, notes);
    return splits;
  }
  drop_overlaps(splits, notes);
  return splits;
}

}  // namespace zoo
