#include "text/text_data.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/errors.h"
#include "core/split_names.h"
#include "text/pairs.h"
#include "text/text_files.h"
#include "text/text_splits.h"
#include "text/tokenized_text.h"
#include "text/tokenizers/tokenizer_roles.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// Running text larger than this is not held in memory a second time, to be searched.
constexpr std::int64_t kLargestIndex = std::int64_t{1} << 25;

/// Where options stand, for messages.
constexpr const char* kTokenizer = "tokenizer";
constexpr const char* kSourceTokenizer = "source_tokenizer";

/// An example before it is encoded.
struct ExampleText {
  std::string_view source;
  std::string_view target;  ///< of a pair
  ExamplePlace place;
  std::int32_t label = 0;  ///< where labels are classes
};
using SplitExamples = std::array<std::vector<ExampleText>, 3>;

std::vector<TextFile> read_files(const DataOptions& options, std::vector<std::string>& notes) {
  std::vector<TextFile> files;
  for (const auto& [option, path] : split_files(options)) {
    files.push_back(read_text_file(option, path, notes));
  }
  return files;
}

SplitExamples examples_of(const SplitLines& splits, const std::vector<TextFile>& files) {
  SplitExamples examples;
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const auto& line : splits[i]) {
      const auto file = static_cast<std::int32_t>(line.file - files.data());
      examples[i].push_back({line.text, {}, {file, line.number}});
    }
  }
  return examples;
}

SplitExamples examples_of(const PairData& pairs) {
  SplitExamples examples;
  for (std::size_t i = 0; i < examples.size(); ++i) {
    for (const auto& pair : pairs.splits[i]) {
      examples[i].push_back({pair.source, pair.target, {pair.file, pair.number}});
    }
  }
  return examples;
}

std::string place_text(const std::vector<SourceFile>& files, const ExamplePlace& place,
                       const std::string& split) {
  if (place.file < 0) return text_of("synthetic example ", place.number, " (", split, ")");
  const auto& file = files[static_cast<std::size_t>(place.file)];
  const auto* unit = file.option == "catalogues" ? ", message " : ", line ";
  return text_of(file.path, unit, place.number, " (", split, ")");
}

/// A boundary inside a line would make two lines of it.
void refuse_roles(const TextData& data, const SplitExamples& splits, const TokenRoles& of_sources,
                  const TokenRoles& of_targets) {
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const auto& example : splits[i]) {
      auto complaint = role_complaint(example.source, of_sources);
      if (complaint.empty()) complaint = role_complaint(example.target, of_targets);
      require<UserError>(complaint.empty(), place_text(data.files, example.place, kSplitNames[i]),
                         ": ", complaint);
    }
  }
}

/// A mask in running text would be taken for one that the task put there.
void refuse_mask(const TextRange& range, const char* split, const std::string& mask) {
  if (mask.empty() || range.empty()) return;
  for_each_part(range, [&](std::string_view part, std::int64_t line) {
    const auto complaint = role_complaint(part, {.mask = mask});
    if (complaint.empty()) return;
    const auto before = part.substr(0, part.find(mask));
    throw UserError(text_of(range.text->source.path, ", line ",
                            line + std::count(before.begin(), before.end(), '\n'), " (", split,
                            "): ", complaint));
  });
}

std::shared_ptr<const Tokenizer> tokenizer_for(const TokenizerOptions& options,
                                               const TokenRoles& roles, const TextSource& texts,
                                               const char* place = kTokenizer) {
  return options.path.empty() ? train_tokenizer(options, texts, roles, place)
                              : load_tokenizer(options.path, roles);
}

/// Whether an example is a source and a target in one row.
bool writes_targets(const TextData& data) { return has_pairs(data.format) && data.classes.empty(); }

/// Encodes the examples of one split.
class SplitEncoder {
 public:
  SplitEncoder(const TextData& data, const char* name) : data_(data) {
    split_.name = name;
    split_.files = std::make_shared<const std::vector<SourceFile>>(data.files);
  }

  TextSplit encode(const std::vector<ExampleText>& examples) {
    if (examples.empty()) return split_;
    const bool own = data_.source_tokenizer != data_.tokenizer;
    for (const auto& example : examples) {
      mark_boundary();
      append(example.source, *data_.source_tokenizer, own ? kSourceTokenizer : kTokenizer,
             example.place);
      if (writes_targets(data_)) {
        split_.separators.push_back(static_cast<std::int64_t>(tokens_.size()));
        tokens_.push_back(static_cast<std::int32_t>(data_.tokenizer->separator_id()));
        append(example.target, *data_.tokenizer, kTokenizer, example.place);
      }
      if (!data_.classes.empty()) split_.labels.push_back(example.label);
      split_.characters += count_characters(example.source) + 1;
      split_.places.push_back(example.place);
    }
    mark_boundary();
    split_.tokens = TokenStream(std::move(tokens_));
    return split_;
  }

 private:
  void mark_boundary() {
    split_.starts.push_back(static_cast<std::int64_t>(tokens_.size()));
    tokens_.push_back(static_cast<std::int32_t>(data_.tokenizer->boundary_id()));
  }
  void append(std::string_view text, const Tokenizer& tokenizer, const char* options,
              const ExamplePlace& place) {
    try {
      for (const auto id : tokenizer.encode(text)) {
        tokens_.push_back(static_cast<std::int32_t>(id));
      }
    } catch (const UserError& error) {
      throw UserError(text_of(place_text(data_.files, place, split_.name), ": ", error.what(),
                              "; set ", options, ".unknown to skip or replace"));
    }
  }

  const TextData& data_;
  TextSplit split_;
  std::vector<std::int32_t> tokens_;
};

void check_needs(const DataOptions& options, const TextNeeds& needs) {
  require<UserError>(!needs.classes || options.format == TextFormat::kLabelled, "data.format: got ",
                     name_of(options.format),
                     "; the task needs labelled lines; set data.format to labelled");
  require<UserError>(!needs.source_tokenizer || (has_pairs(options.format) && !needs.classes),
                     kSourceTokenizer, ": needs sources with targets to write, data.format is ",
                     name_of(options.format));
}

/// The roles that the tokenizer of all but sources with their own has.
TokenRoles needed_roles(const TextData& data, const TokenizerOptions& options,
                        const TextNeeds& needs) {
  const bool lines = data.format != TextFormat::kText;
  TokenRoles roles;
  if (lines) roles.boundary = options.boundary;
  if (lines && (needs.marks || writes_targets(data))) roles.separator = options.separator;
  if (needs.marks) roles.mask = kMaskToken;
  if (needs.marks && lines) roles.padding = kPaddingToken;
  return roles;
}

/// Of a tokenizer that was made for something else. Padding may be missing: the boundary pads.
void require_roles(const TextData& data, const TextNeeds& needs) {
  const auto& tokenizer = *data.tokenizer;
  const bool lines = data.format != TextFormat::kText;
  const bool boundary = tokenizer.boundary_id() >= 0;
  require<UserError>(boundary == lines, "the tokenizer was made for ",
                     boundary ? "lines" : "running text", ", data.format is ",
                     name_of(data.format));
  const bool pairs = writes_targets(data);
  require<UserError>(!(pairs || (lines && needs.marks)) || tokenizer.separator_id() >= 0,
                     "the tokenizer was made without a separator, which ",
                     pairs ? "pairs need" : "the task needs");
  require<UserError>(
      !needs.marks || tokenizer.mask_id() >= 0, "the tokenizer was made without a mask (",
      join({kMaskTokens.begin(), kMaskTokens.end()}, " or "), "), which the task needs");
}

/// What the tokens that have a role look like in text.
TokenRoles roles_of(const Tokenizer& tokenizer) {
  const auto text = [&](std::int64_t id) { return id < 0 ? "" : tokenizer.token(id); };
  return {text(tokenizer.boundary_id()), text(tokenizer.separator_id()), text(tokenizer.mask_id()),
          text(tokenizer.padding_id())};
}

/// Makes classes of the labels. Each of val and test stands in train, load_pairs has seen to it.
void take_classes(TextData& data, SplitExamples& splits) {
  std::set<std::string_view> labels;
  for (const auto& example : splits[0]) labels.insert(example.target);
  data.classes.assign(labels.begin(), labels.end());
  for (auto& examples : splits) {
    for (auto& example : examples) {
      const auto found = std::lower_bound(data.classes.begin(), data.classes.end(), example.target);
      example.label = static_cast<std::int32_t>(found - data.classes.begin());
      example.target = {};
    }
  }
}

/// The tokenizers that are not there yet.
void make_tokenizers(TextData& data, const SplitExamples& splits, const TokenizerOptions& options,
                     const TextNeeds& needs) {
  const bool own = needs.source_tokenizer.has_value();
  const auto texts = [&splits](bool sources, bool targets) -> TextSource {
    return [&splits, sources, targets](const auto& visit) {
      for (const auto& example : splits[0]) {
        if (sources) visit(example.source);
        if (targets && !example.target.empty()) visit(example.target);
      }
    };
  };
  const TokenRoles source_roles = {.padding = kPaddingToken};
  if (!data.tokenizer) {
    const auto roles = needed_roles(data, options, needs);
    refuse_roles(data, splits, own ? TokenRoles{} : roles, roles);
    data.tokenizer = tokenizer_for(options, roles, texts(!own, true));
  }
  if (!own) {
    data.source_tokenizer = data.tokenizer;
  } else if (!data.source_tokenizer) {
    refuse_roles(data, splits, source_roles, {});
    data.source_tokenizer =
        tokenizer_for(*needs.source_tokenizer, source_roles, texts(true, false), kSourceTokenizer);
  }
}

void encode_examples(TextData& data, const SplitExamples& splits, const TokenizerOptions& options,
                     const TextNeeds& needs) {
  make_tokenizers(data, splits, options, needs);
  require_roles(data, needs);
  refuse_roles(data, splits, roles_of(*data.source_tokenizer), roles_of(*data.tokenizer));
  TextSplit* const places[] = {&data.train, &data.val, &data.test};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    *places[i] = SplitEncoder(data, kSplitNames[i]).encode(splits[i]);
  }
}

void load_running_text(TextData& data, const DataOptions& options,
                       const TokenizerOptions& tokenizer_options, const TextNeeds& needs) {
  std::vector<RunningText> texts;
  for (const auto& [option, path] : split_files(options)) {
    texts.push_back(scan_running_text(option, path, data.notes));
    data.files.push_back(texts.back().source);
  }
  const auto ranges = text_ranges(texts, options);
  if (!data.tokenizer) {
    const auto roles = needed_roles(data, tokenizer_options, needs);
    refuse_mask(ranges[0], kSplitNames[0], roles.mask);
    data.tokenizer = tokenizer_for(tokenizer_options, roles, [&](const auto& visit) {
      for_each_part(ranges[0], [&](std::string_view part, std::int64_t) { visit(part); });
    });
  }
  data.source_tokenizer = data.tokenizer;
  require_roles(data, needs);
  const auto mask = roles_of(*data.tokenizer).mask;
  TextSplit* const splits[] = {&data.train, &data.val, &data.test};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    refuse_mask(ranges[i], kSplitNames[i], mask);
    splits[i]->name = kSplitNames[i];
    if (ranges[i].empty()) continue;
    auto& split = *splits[i];
    split.tokens = tokenize(ranges[i], kSplitNames[i], *data.tokenizer, options.token_file);
    require<UserError>(split.tokens.size() >= 2, "split ", split.name, ": ", split.tokens.size(),
                       " tokens are too few to predict one from another");
    split.starts = {0, split.tokens.size() - 1};
    const auto first = data.tokenizer->decode({split.tokens[0]});
    split.characters = ranges[i].end - ranges[i].begin - count_characters(first);
  }
}

}  // namespace

const TextSplit& TextData::split(const std::string& name) const {
  return split_named<TextSplit>(name, {&train, &val, &test});
}

std::string TextSplit::place_of(std::int64_t example) const {
  if (places.empty()) return text_of("line ", example + 1, " (", name, ")");
  return place_text(*files, places[static_cast<std::size_t>(example)], name);
}

TextData load_text_data(const DataOptions& options, const TokenizerOptions& tokenizer_options,
                        const TextNeeds& needs, const Tokenizers& made) {
  options.validate("data");
  check_needs(options, needs);
  TextData data;
  data.format = options.format;
  data.tokenizer = made.target;
  data.source_tokenizer = made.source;
  if (options.format == TextFormat::kText) {
    load_running_text(data, options, tokenizer_options, needs);
  } else if (has_pairs(options.format)) {
    auto pairs = load_pairs(options);
    data.files = std::move(pairs.files);
    data.notes = std::move(pairs.notes);
    auto examples = examples_of(pairs);
    if (needs.classes) take_classes(data, examples);
    encode_examples(data, examples, tokenizer_options, needs);
  } else {
    const auto files = read_files(options, data.notes);
    for (const auto& file : files) data.files.push_back(file.source);
    const auto splits = options.path.empty() ? take_split_files(files, options, data.notes)
                                             : split_file(files[0], options, data.notes);
    encode_examples(data, examples_of(splits, files), tokenizer_options, needs);
  }
  return data;
}

TrainingTextIndex::TrainingTextIndex(const TextData& data) {
  const auto& tokens = data.train.tokens;
  const auto& starts = data.train.starts;
  if (data.format == TextFormat::kText) {
    text_ = data.tokenizer->decode(tokens.range(0, tokens.size()));
    return;
  }
  const bool own = data.source_tokenizer != data.tokenizer;
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    // With a vocabulary of its own, a source ends where the separator stands.
    const auto targets = own ? data.train.separators[i] : starts[i] + 1;
    lines_.insert(data.source_tokenizer->decode(tokens.range(starts[i] + 1, targets)) +
                  data.tokenizer->decode(tokens.range(targets, starts[i + 1])));
  }
}

bool TrainingTextIndex::contains(const std::string& text) const {
  return text_.empty() ? lines_.contains(text) : text_.find(text) != std::string::npos;
}

std::unique_ptr<const TrainingTextIndex> index_training_text(const TextData& data) {
  if (data.train.tokens.size() > kLargestIndex) return nullptr;
  return std::make_unique<const TrainingTextIndex>(data);
}

}  // namespace zoo
