#include "analysis/raw_texts.h"

#include <utility>

#include "text/text_splits.h"

namespace zoo {

RawTexts::RawTexts(const DataOptions& options) {
  options.validate("data");
  if (has_pairs(options.format)) {
    read_pairs(options);
  } else if (options.format == TextFormat::kLines) {
    read_lines(options);
  } else {
    std::vector<std::string> notes;
    for (const auto& [option, path] : split_files(options)) {
      texts_.push_back(scan_running_text(option, path, notes));
    }
    ranges_ = text_ranges(texts_, options);
  }
}

void RawTexts::read_lines(const DataOptions& options) {
  std::vector<std::string> notes;
  for (const auto& [option, path] : split_files(options)) {
    files_.push_back(read_text_file(option, path, notes));
  }
  const auto splits = options.path.empty() ? take_split_files(files_, options, notes)
                                           : split_file(files_[0], options, notes);
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const auto& line : splits[i]) examples_[i].push_back({line.text, {}});
  }
}

void RawTexts::read_pairs(const DataOptions& options) {
  pairs_ = load_pairs(options);
  for (std::size_t i = 0; i < pairs_.splits.size(); ++i) {
    for (const auto& pair : pairs_.splits[i]) examples_[i].push_back({pair.source, pair.target});
  }
}

RawCounts count_examples(const std::vector<RawExample>& examples, bool targets, bool own_sources) {
  RawCounts counts;
  std::int64_t number = 0;
  for (const auto& example : examples) {
    const auto add = [&](std::string_view text, std::size_t vocabulary, LengthCounts& lengths) {
      const auto length = counts.alphabets[vocabulary].add(text, number);
      lengths.add(length);
      counts.characters += length;
    };
    add(example.source, own_sources ? 1 : 0, counts.sources);
    if (targets) add(example.target, 0, counts.targets);
    ++number;
  }
  return counts;
}

RawCounts count_lines(const TextRange& range) {
  RawCounts counts;
  std::int64_t length = 0;
  bool open = false, started = false;
  for_each_part(range, [&](std::string_view part, std::int64_t line) {
    if (!std::exchange(started, true)) counts.first_line = line;
    while (!part.empty()) {
      const auto end = part.find('\n');
      const auto ended = end != std::string_view::npos;
      const auto taken = part.substr(0, ended ? end + 1 : part.size());
      const auto characters = counts.alphabets[0].add(taken, counts.sources.size());
      counts.characters += characters;
      length += characters - (ended ? 1 : 0);
      open = !ended;
      if (ended) counts.sources.add(std::exchange(length, 0));
      part.remove_prefix(taken.size());
    }
  });
  if (open) counts.sources.add(length);
  return counts;
}

}  // namespace zoo
