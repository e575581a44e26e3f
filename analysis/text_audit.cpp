#include "analysis/text_audit.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "analysis/raw_texts.h"
#include "core/errors.h"
#include "text/near_duplicates.h"

namespace zoo {
namespace {

constexpr std::size_t kTrain = 0, kVal = 1, kTest = 2;
/// Bytes of train among which near duplicates are looked for.
constexpr std::size_t kMostNear = std::size_t{1} << 24;

void set_alphabet(TextSplitAudit& audit, const RawCounts& counts, const RawCounts& train) {
  auto all = counts.alphabets[0];
  all.add(counts.alphabets[1]);
  audit.alphabet = all.rarest_first();
  auto unseen = counts.alphabets[0].without(train.alphabets[0]);
  unseen.add(counts.alphabets[1].without(train.alphabets[1]));
  audit.unseen = unseen.rarest_first();
}

bool learns_characters(const TokenizerOptions& options) {
  return options.path.empty() &&
         (options.type == TokenizerType::kCharacter || options.type == TokenizerType::kBpe);
}

/// Leaves out what training would refuse, which costs neither vocabulary nor message.
TokenizerOptions lenient(TokenizerOptions options) {
  if (learns_characters(options) && options.unknown == UnknownCharacter::kRefuse) {
    options.unknown = UnknownCharacter::kSkip;
  }
  return options;
}

/// The id that stands for what the tokenizer does not know; -1: none.
std::int64_t unknown_id(const Tokenizer& tokenizer) {
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    const auto token = tokenizer.token(id);
    if (token == "[UNK]" || token == "<unk>") return id;
  }
  return -1;
}

std::int64_t count_unknown(const TextData& data, const TextSplit& split) {
  const auto unknown = unknown_id(*data.tokenizer);
  const auto count = [&](std::int64_t id, std::int64_t begin, std::int64_t end) {
    std::int64_t found = 0;
    for (auto i = begin; id >= 0 && i < end; ++i) found += split.tokens[i] == id ? 1 : 0;
    return found;
  };
  if (data.source_tokenizer == data.tokenizer) return count(unknown, 0, split.tokens.size());
  const auto of_sources = unknown_id(*data.source_tokenizer);
  std::int64_t found = 0;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    found += count(of_sources, split.starts[i] + 1, split.separators[i]) +
             count(unknown, split.separators[i] + 1, split.starts[i + 1]);
  }
  return found;
}

Lengths token_lengths(const TextSplit& split) {
  LengthCounts counts;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    counts.add(split.starts[i + 1] - split.starts[i]);
  }
  auto lengths = counts.lengths();
  lengths.longest_place = split.place_of(counts.first_longest());
  return lengths;
}

/// The distinct sources of a split.
using Sources = std::unordered_set<std::string_view>;

Sources sources_of(const std::vector<RawExample>& examples) {
  Sources sources;
  for (const auto& example : examples) sources.insert(example.source);
  return sources;
}

/// Equal examples, and equal sources with other targets, within a split.
void find_repeats(TextSplitAudit& audit, const std::vector<RawExample>& examples,
                  const TextSplit& split) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  Sources sources;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const auto& [source, target] = examples[i];
    const bool is_new = seen.emplace(source, target).second;
    const bool new_source = sources.insert(source).second;
    if (!is_new) audit.repeated.add(split.place_of(static_cast<std::int64_t>(i)));
    if (is_new && !new_source) audit.ambiguous.add(split.place_of(static_cast<std::int64_t>(i)));
  }
}

/// Names the place of each first character and longest example.
void set_places(TextSplitAudit& audit, const RawCounts& counts, const TextRange& range,
                const TextSplit& split) {
  const auto place = [&](std::int64_t number) {
    if (range.text == nullptr) return split.place_of(number);
    return text_of(range.text->source.path, ", line ", counts.first_line + number, " (", split.name,
                   ")");
  };
  audit.character_lengths.longest_place = place(counts.sources.first_longest());
  if (audit.target_lengths) {
    audit.target_lengths->longest_place = place(counts.targets.first_longest());
  }
  for (auto& character : audit.unseen) character.first_place = place(character.first);
}

/// Fills a TextAudit, split by split.
class TextAuditor {
 public:
  TextAuditor(const DataOptions& options, const TokenizerOptions& tokenizer, TextNeeds needs)
      : options_(options),
        writes_targets_(has_pairs(options.format) && !needs.classes),
        own_sources_(needs.source_tokenizer.has_value()),
        raw_(options) {
    if (own_sources_) needs.source_tokenizer = lenient(*needs.source_tokenizer);
    data_ = load_text_data(options, lenient(tokenizer), needs);
    audit_.format = options.format;
    audit_.deduplicate = options.deduplicate;
    if (learns_characters(tokenizer)) audit_.unseen = tokenizer.unknown;
    audit_.vocab_size = data_.tokenizer->vocab_size();
    if (own_sources_) audit_.source_vocab_size = data_.source_tokenizer->vocab_size();
    audit_.files = data_.files;
    audit_.notes = data_.notes;
  }

  TextAudit audit() {
    take_classes();
    audit_.near_skipped = reason_to_skip_near();
    const TextSplit* const splits[] = {&data_.train, &data_.val, &data_.test};
    for (std::size_t i = kTrain; i <= kTest; ++i) {
      if (!splits[i]->empty()) add_split(i, *splits[i]);
    }
    return std::move(audit_);
  }

 private:
  bool running() const { return options_.format == TextFormat::kText; }

  void take_classes() {
    if (options_.format != TextFormat::kLabelled) return;
    std::set<std::string_view> labels;
    for (const auto& example : raw_.examples(kTrain)) labels.insert(example.target);
    audit_.classes.assign(labels.begin(), labels.end());
  }

  std::string reason_to_skip_near() const {
    if (running()) return "running text has no examples";
    if (options_.synthetic) return "examples made by rule are alike by design";
    if (data_.val.empty() && data_.test.empty()) return "there is no split but train";
    std::size_t bytes = 0;
    for (const auto& example : raw_.examples(kTrain)) bytes += example.source.size();
    return bytes > kMostNear ? text_of("train has more than ", kMostNear >> 20, " MiB") : "";
  }

  void add_split(std::size_t number, const TextSplit& split) {
    const auto& examples = raw_.examples(number);
    auto counts = running() ? count_lines(raw_.range(number))
                            : count_examples(examples, writes_targets_, own_sources_);
    if (number == kTrain) train_ = counts;
    TextSplitAudit found;
    found.name = split.name;
    found.examples = counts.sources.size();
    found.tokens = split.tokens.size();
    found.characters = counts.characters;
    found.character_lengths = counts.sources.lengths();
    if (writes_targets_) found.target_lengths = counts.targets.lengths();
    if (!running()) found.token_lengths = token_lengths(split);
    found.unknown_tokens = count_unknown(data_, split);
    set_alphabet(found, counts, train_);
    set_places(found, counts, raw_.range(number), split);
    find_repeats(found, examples, split);
    compare(found, number, split);
    count_classes(found, examples);
    audit_.splits.push_back(std::move(found));
  }

  /// Looks for what stands in an earlier split too, and for what nearly stands in train.
  void compare(TextSplitAudit& found, std::size_t number, const TextSplit& split) {
    const auto& examples = raw_.examples(number);
    sources_[number] = sources_of(examples);
    if (number == kTrain) return;
    const auto& train = sources_[kTrain];
    const bool looks_near = audit_.near_skipped.empty();
    if (looks_near && !near_) near_.emplace(std::vector(train.begin(), train.end()));
    if (looks_near) found.near_train.emplace();
    for (std::size_t i = 0; i < examples.size(); ++i) {
      const auto source = examples[i].source;
      const auto place = split.place_of(static_cast<std::int64_t>(i));
      if (train.contains(source)) {
        found.in_train.add(place);
      } else if (looks_near && near_->has_near(source)) {
        found.near_train->add(place);
      }
      if (number == kTest && sources_[kVal].contains(source)) found.in_val.add(place);
    }
  }

  void count_classes(TextSplitAudit& found, const std::vector<RawExample>& examples) const {
    found.class_counts.resize(audit_.classes.size());
    if (audit_.classes.empty()) return;
    for (const auto& example : examples) {
      const auto& classes = audit_.classes;
      const auto label = std::lower_bound(classes.begin(), classes.end(), example.target);
      ++found.class_counts[static_cast<std::size_t>(label - classes.begin())];
    }
  }

  const DataOptions& options_;
  bool writes_targets_;
  bool own_sources_;
  RawTexts raw_;
  TextData data_;
  RawCounts train_;
  std::array<Sources, 3> sources_;
  std::optional<NearDuplicateIndex> near_;
  TextAudit audit_;
};

}  // namespace

const char* TextAudit::unit() const {
  switch (format) {
    case TextFormat::kPairs:
      return "pairs";
    case TextFormat::kLabelled:
      return "texts";
    default:
      return "lines";
  }
}

TextAudit audit_text(const DataOptions& options, const TokenizerOptions& tokenizer,
                     const TextNeeds& needs) {
  return TextAuditor(options, tokenizer, needs).audit();
}

}  // namespace zoo
