#include "text/text_data.h"

#include <utility>

#include "core/errors.h"
#include "core/names.h"
#include "text/pairs.h"
#include "text/text_files.h"
#include "text/text_splits.h"
#include "text/tokenized_text.h"
#include "text/utf8.h"

namespace zoo {
namespace {

/// Running text larger than this is not held in memory a second time, to be searched.
constexpr std::int64_t kLargestIndex = std::int64_t{1} << 25;

/// An example before it is encoded.
struct ExampleText {
  std::string_view source;
  std::string_view target;  ///< of a pair
  ExamplePlace place;
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
void refuse_roles(const TextData& data, const SplitExamples& splits, const TokenRoles& roles) {
  const std::pair<const char*, const std::string&> marks[] = {{"boundary", roles.boundary},
                                                              {"separator", roles.separator}};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const auto& example : splits[i]) {
      for (const auto& [role, mark] : marks) {
        const bool found = !mark.empty() && (example.source.find(mark) != std::string_view::npos ||
                                             example.target.find(mark) != std::string_view::npos);
        require<UserError>(!found, place_text(data.files, example.place, kSplitNames[i]),
                           ": contains the ", role, " ", mark, "; set tokenizer.", role,
                           " to a token that no line has");
      }
    }
  }
}

std::shared_ptr<const Tokenizer> tokenizer_for(const TokenizerOptions& options,
                                               const TokenRoles& roles, const TextSource& texts) {
  return options.path.empty() ? train_tokenizer(options, texts, roles)
                              : load_tokenizer(options.path, roles);
}

/// Encodes the examples of one split.
class SplitEncoder {
 public:
  SplitEncoder(const TextData& data, const char* name) : data_(data) {
    split_.name = name;
    split_.files = std::make_shared<const std::vector<SourceFile>>(data.files);
  }

  TextSplit encode(const std::vector<ExampleText>& examples) {
    if (examples.empty()) return split_;
    for (const auto& example : examples) {
      mark_boundary();
      append(example.source, example.place);
      if (has_pairs(data_.format)) {
        split_.separators.push_back(static_cast<std::int64_t>(tokens_.size()));
        tokens_.push_back(static_cast<std::int32_t>(data_.tokenizer->separator_id()));
        append(example.target, example.place);
      }
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
  void append(std::string_view text, const ExamplePlace& place) {
    try {
      for (const auto id : data_.tokenizer->encode(text)) {
        tokens_.push_back(static_cast<std::int32_t>(id));
      }
    } catch (const UserError& error) {
      throw UserError(text_of(place_text(data_.files, place, split_.name), ": ", error.what(),
                              "; set tokenizer.unknown to skip or replace"));
    }
  }

  const TextData& data_;
  TextSplit split_;
  std::vector<std::int32_t> tokens_;
};

void require_roles(const TextData& data) {
  const bool lines = data.format != TextFormat::kText;
  const bool boundary = data.tokenizer->boundary_id() >= 0;
  require<UserError>(boundary == lines, "the tokenizer was made for ",
                     boundary ? "lines" : "running text", ", data.format is ",
                     name_of(data.format));
  require<UserError>(!has_pairs(data.format) || data.tokenizer->separator_id() >= 0,
                     "the tokenizer was made without a separator, data.format is ",
                     name_of(data.format));
}

/// What the tokens that have a role look like in text.
TokenRoles roles_of(const Tokenizer& tokenizer) {
  const auto text = [&](std::int64_t id) { return id < 0 ? "" : tokenizer.token(id); };
  return {text(tokenizer.boundary_id()), text(tokenizer.separator_id())};
}

void encode_examples(TextData& data, const SplitExamples& splits, const TokenizerOptions& options) {
  const TokenRoles roles = {options.boundary, has_pairs(data.format) ? options.separator : ""};
  if (!data.tokenizer) {
    refuse_roles(data, splits, roles);
    data.tokenizer = tokenizer_for(options, roles, [&](const auto& visit) {
      for (const auto& example : splits[0]) {
        visit(example.source);
        if (!example.target.empty()) visit(example.target);
      }
    });
  }
  require_roles(data);
  refuse_roles(data, splits, roles_of(*data.tokenizer));
  TextSplit* const places[] = {&data.train, &data.val, &data.test};
  for (std::size_t i = 0; i < splits.size(); ++i) {
    *places[i] = SplitEncoder(data, kSplitNames[i]).encode(splits[i]);
  }
}

void load_running_text(TextData& data, const DataOptions& options,
                       const TokenizerOptions& tokenizer_options) {
  std::vector<RunningText> texts;
  for (const auto& [option, path] : split_files(options)) {
    texts.push_back(scan_running_text(option, path, data.notes));
    data.files.push_back(texts.back().source);
  }
  const auto ranges = text_ranges(texts, options);
  if (!data.tokenizer) {
    data.tokenizer = tokenizer_for(tokenizer_options, TokenRoles{}, [&](const auto& visit) {
      for_each_part(ranges[0], [&](std::string_view part, std::int64_t) { visit(part); });
    });
  }
  require_roles(data);
  TextSplit* const splits[] = {&data.train, &data.val, &data.test};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
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
  std::vector<std::string> there;
  const TextSplit* found = nullptr;
  for (const auto* one : {&train, &val, &test}) {
    if (!one->empty()) there.push_back(one->name);
    if (one->name == name) found = one;
  }
  const auto has = "; the data has " + join(there, ", ");
  require<UserError>(found != nullptr, "split ", name, ": unknown", has,
                     did_you_mean(name, {"train", "val", "test"}));
  require<UserError>(!found->empty(), "split ", name, ": there is none", has, "; set data.", name,
                     "_fraction or data.", name, "_path");
  return *found;
}

std::string TextSplit::place_of(std::int64_t example) const {
  if (places.empty()) return text_of("line ", example + 1, " (", name, ")");
  return place_text(*files, places[static_cast<std::size_t>(example)], name);
}

TextData load_text_data(const DataOptions& options, const TokenizerOptions& tokenizer_options,
                        std::shared_ptr<const Tokenizer> tokenizer) {
  options.validate("data");
  TextData data;
  data.format = options.format;
  data.tokenizer = std::move(tokenizer);
  if (options.format == TextFormat::kText) {
    load_running_text(data, options, tokenizer_options);
  } else if (has_pairs(options.format)) {
    auto pairs = load_pairs(options);
    data.files = std::move(pairs.files);
    data.notes = std::move(pairs.notes);
    encode_examples(data, examples_of(pairs), tokenizer_options);
  } else {
    const auto files = read_files(options, data.notes);
    for (const auto& file : files) data.files.push_back(file.source);
    const auto splits = options.path.empty() ? take_split_files(files, options, data.notes)
                                             : split_file(files[0], options, data.notes);
    encode_examples(data, examples_of(splits, files), tokenizer_options);
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
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    lines_.insert(data.tokenizer->decode(tokens.range(starts[i] + 1, starts[i + 1])));
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
