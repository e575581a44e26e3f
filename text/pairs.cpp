#include "text/pairs.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/errors.h"
#include "core/format.h"
#include "core/names.h"
#include "text/catalogues.h"
#include "text/near_duplicates.h"
#include "text/pair_files.h"
#include "text/synthetic.h"
#include "text/text_splits.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::size_t kTrain = 0, kVal = 1, kTest = 2;

/// Leaves out pairs with a side of more than max_characters. `what` names them in messages.
void drop_long(std::vector<TextPair>& pairs, const DataOptions& options, const std::string& what,
               std::vector<std::string>& notes) {
  if (!options.max_characters) return;
  const auto most = *options.max_characters;
  const auto dropped = std::erase_if(pairs, [&](const TextPair& pair) {
    return count_characters(pair.source) > most || count_characters(pair.target) > most;
  });
  if (dropped == 0) return;
  notes.push_back(text_of(what, ": ", dropped, " pairs with a side of more than ", most,
                          " characters were left out."));
  require<UserError>(!pairs.empty(), what, ": each pair has a side of more than ", most,
                     " characters; raise data.max_characters");
}

/// Keeps the first of equal pairs.
void drop_repeats(std::vector<TextPair>& pairs, const std::string& what,
                  std::vector<std::string>& notes) {
  std::vector<bool> is_new;
  {
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const auto& pair : pairs) is_new.push_back(seen.emplace(pair.source, pair.target).second);
  }
  std::vector<TextPair> kept;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (is_new[i]) kept.push_back(std::move(pairs[i]));
  }
  const auto dropped = pairs.size() - kept.size();
  if (dropped > 0) notes.push_back(text_of(what, ": ", dropped, " repeated pairs were dropped."));
  pairs = std::move(kept);
}

/// The distinct sources in the order of their first pairs.
std::vector<std::string_view> sources_of(const std::vector<TextPair>& pairs) {
  std::vector<std::string_view> sources;
  std::unordered_set<std::string_view> seen;
  for (const auto& pair : pairs) {
    if (seen.insert(pair.source).second) sources.push_back(pair.source);
  }
  return sources;
}

/// The pairs of each distinct source.
std::vector<std::vector<TextPair>> grouped_by_source(std::vector<TextPair> pairs) {
  std::vector<std::size_t> group_of;
  std::size_t count = 0;
  {
    std::unordered_map<std::string_view, std::size_t> groups;
    for (const auto& pair : pairs) {
      group_of.push_back(groups.emplace(pair.source, groups.size()).first->second);
    }
    count = groups.size();
  }
  std::vector<std::vector<TextPair>> grouped(count);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    grouped[group_of[i]].push_back(std::move(pairs[i]));
  }
  return grouped;
}

/// Deals whole sources to the splits in an order that split_seed fixes.
void deal_pairs(std::vector<TextPair> pairs, const DataOptions& options, const std::string& what,
                PairData& data) {
  require<UserError>(!pairs.empty(), what, ": no pair is left");
  if (options.deduplicate) drop_repeats(pairs, what, data.notes);
  auto groups = grouped_by_source(std::move(pairs));
  const auto count = static_cast<std::int64_t>(groups.size());
  const auto dealt = deal(count, options, what);
  for (std::size_t split = kTrain; split <= kTest; ++split) {
    for (const auto number : dealt[split]) {
      auto& group = groups[static_cast<std::size_t>(number)];
      std::move(group.begin(), group.end(), std::back_inserter(data.splits[split]));
    }
  }
}

/// Drops from val and test the pairs whose source stands in an earlier split, or tells of them.
void treat_overlaps(PairData& data, bool drop) {
  std::unordered_set<std::string> earlier;
  for (std::size_t i = kTrain; i <= kTest; ++i) {
    auto& pairs = data.splits[i];
    const bool given = !pairs.empty();
    const auto stands_earlier = [&](const TextPair& pair) { return earlier.contains(pair.source); };
    const auto count = std::count_if(pairs.begin(), pairs.end(), stands_earlier);
    if (count > 0) {
      data.notes.push_back(text_of(kSplitNames[i], ": ", count,
                                   " pairs whose source stands in an earlier split",
                                   drop ? " were dropped." : "."));
    }
    if (drop) std::erase_if(pairs, stands_earlier);
    require<UserError>(!given || !pairs.empty(), "split ", kSplitNames[i],
                       ": each of its sources stands in an earlier split; bring other pairs, or "
                       "set data.deduplicate to false");
    for (const auto& pair : pairs) earlier.insert(pair.source);
  }
}

void take_split_pairs(const DataOptions& options, PairData& data) {
  const auto take = [&](std::size_t split, const std::string& path, const std::string& targets) {
    if (path.empty()) return;
    const auto option = std::string(kSplitNames[split]) + "_path";
    auto pairs = read_pair_files(option, path, targets, options, data);
    drop_long(pairs, options, path, data.notes);
    if (options.deduplicate) drop_repeats(pairs, path, data.notes);
    data.splits[split] = std::move(pairs);
  };
  take(kTrain, options.train_path, options.train_target_path);
  take(kVal, options.val_path, options.val_target_path);
  take(kTest, options.test_path, options.test_target_path);
  treat_overlaps(data, options.deduplicate);
}

/// As many labels as a message can show.
std::string some_of(const std::set<std::string>& labels) {
  constexpr std::size_t kMostShown = 12;
  const auto count = std::min(labels.size(), kMostShown);
  const std::vector<std::string> shown(
      labels.begin(), std::next(labels.begin(), static_cast<std::ptrdiff_t>(count)));
  const auto others = labels.size() - count;
  return join(shown, ", ") + (others > 0 ? text_of(" and ", others, " others") : "");
}

/// A classifier learns only labels that it is shown, and needs a choice.
void check_labels(const PairData& data) {
  std::set<std::string> known;
  for (const auto& pair : data.splits[kTrain]) known.insert(pair.target);
  for (std::size_t i = kVal; i <= kTest; ++i) {
    for (const auto& pair : data.splits[i]) {
      if (known.contains(pair.target)) continue;
      throw UserError(text_of(data.files[static_cast<std::size_t>(pair.file)].path, ", line ",
                              pair.number, " (", kSplitNames[i], "): no example of train has the ",
                              "label \"", pair.target, "\"; its labels: ", some_of(known),
                              "; bring examples of it to train, or remove it"));
    }
  }
  require<UserError>(known.size() >= 2, "label \"", known.empty() ? "" : *known.begin(),
                     "\": the training split has no other; a classifier needs at least two");
}

void note_near_duplicates(PairData& data) {
  if (data.splits[kVal].empty() && data.splits[kTest].empty()) return;
  const NearDuplicateIndex index(sources_of(data.splits[kTrain]));
  for (std::size_t i = kVal; i <= kTest; ++i) {
    const auto sources = sources_of(data.splits[i]);
    const auto count = std::count_if(sources.begin(), sources.end(), [&](std::string_view source) {
      return index.has_near(source);
    });
    if (count == 0) continue;
    const auto percent = 100 * static_cast<double>(count) / static_cast<double>(sources.size());
    data.notes.push_back(text_of(kSplitNames[i], ": ", count, " of ", sources.size(), " sources (",
                                 fixed_digits(percent, 1),
                                 " %) are near duplicates of a training source."));
  }
}

}  // namespace

PairData load_pairs(const DataOptions& options) {
  PairData data;
  if (options.synthetic) {
    deal_pairs(make_synthetic(options), options, "the synthetic examples", data);
  } else if (!options.catalogues.empty()) {
    const auto what = "catalogues";
    auto pairs = read_catalogues(options, data);
    drop_long(pairs, options, what, data.notes);
    deal_pairs(std::move(pairs), options, what, data);
  } else if (!options.path.empty()) {
    auto pairs = read_pair_files("path", options.path, options.target_path, options, data);
    drop_long(pairs, options, options.path, data.notes);
    deal_pairs(std::move(pairs), options, options.path, data);
  } else {
    take_split_pairs(options, data);
  }
  if (options.format == TextFormat::kLabelled) {
    check_labels(data);
  } else if (!options.synthetic) {
    note_near_duplicates(data);
  }
  return data;
}

}  // namespace zoo
