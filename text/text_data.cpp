#include "text/text_data.h"

#include <utility>

#include "core/errors.h"
#include "core/names.h"
#include "text/text_files.h"
#include "text/text_splits.h"

namespace zoo {
namespace {

std::vector<TextFile> read_files(const DataOptions& options, std::vector<std::string>& notes) {
  std::vector<TextFile> files;
  const std::pair<const char*, std::string> choices[] = {{"path", options.path},
                                                         {"train_path", options.train_path},
                                                         {"val_path", options.val_path},
                                                         {"test_path", options.test_path}};
  for (const auto& [option, path] : choices) {
    if (!path.empty()) files.push_back(read_text_file(option, path, notes));
  }
  return files;
}

std::string place_of(const TextLine& line, const char* split) {
  return text_of(line.file->source.path.string(), ", line ", line.number, " (", split, ")");
}

/// A boundary inside a line would make two lines of it.
void refuse_boundary(const SplitLines& splits, const std::string& boundary) {
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (const auto& line : splits[i]) {
      require<UserError>(line.text.find(boundary) == std::string_view::npos,
                         place_of(line, kSplitNames[i]), ": contains the boundary ", boundary,
                         "; set tokenizer.boundary to a character that no line has");
    }
  }
}

std::shared_ptr<const Tokenizer> learn_tokenizer(const TokenizerOptions& options,
                                                 const std::vector<TextLine>& train, bool lines) {
  std::vector<std::string_view> texts;
  texts.reserve(train.size());
  for (const auto& line : train) texts.push_back(line.text);
  return train_tokenizer(options, texts, lines);
}

void append_tokens(TextSplit& split, const TextLine& line, const Tokenizer& tokenizer) {
  try {
    for (const auto id : tokenizer.encode(line.text)) {
      split.tokens.push_back(static_cast<std::int32_t>(id));
    }
  } catch (const UserError& error) {
    throw UserError(text_of(place_of(line, split.name.c_str()), ": ", error.what(),
                            "; set tokenizer.unknown to skip or replace"));
  }
}

TextSplit encode_lines(const char* name, const std::vector<TextLine>& lines,
                       const Tokenizer& tokenizer) {
  TextSplit split{.name = name, .tokens = {}, .starts = {}};
  if (lines.empty()) return split;
  const auto mark_boundary = [&] {
    split.starts.push_back(static_cast<std::int64_t>(split.tokens.size()));
    split.tokens.push_back(static_cast<std::int32_t>(tokenizer.boundary_id()));
  };
  for (const auto& line : lines) {
    mark_boundary();
    append_tokens(split, line, tokenizer);
  }
  mark_boundary();
  return split;
}

TextSplit encode_text(const char* name, const std::vector<TextLine>& lines,
                      const Tokenizer& tokenizer) {
  TextSplit split{.name = name, .tokens = {}, .starts = {}};
  if (lines.empty()) return split;
  for (const auto& line : lines) append_tokens(split, line, tokenizer);
  require<UserError>(split.tokens.size() >= 2, "split ", name, ": ", split.tokens.size(),
                     " tokens are too few to predict one from another");
  split.starts = {0, static_cast<std::int64_t>(split.tokens.size()) - 1};
  return split;
}

}  // namespace

void DataOptions::validate(const std::string& path_of_options) const {
  const auto& at = path_of_options;
  require<ConfigError>(!path.empty() || !train_path.empty(), at, ".path: missing; set ", at,
                       ".path (one file, which is split) or ", at, ".train_path");
  require<ConfigError>(path.empty() || (train_path + val_path + test_path).empty(), at,
                       ".path: one file that is split, or files already split (", at,
                       ".train_path, val_path, test_path), not both");
  require<ConfigError>(val_fraction + test_fraction < 1, at, ".val_fraction: ", val_fraction,
                       " and test_fraction ", test_fraction, " leave nothing for train; their sum ",
                       "must be below 1");
  require<ConfigError>(format == TextFormat::kLines || view != TextView::kLines, at,
                       ".view: lines needs format lines; running text has windows or prefixes");
  require<ConfigError>(format == TextFormat::kText || view != TextView::kWindows, at,
                       ".view: windows needs format text; lines have lines or prefixes");
}

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

TextData load_text_data(const DataOptions& options, const TokenizerOptions& tokenizer_options,
                        std::shared_ptr<const Tokenizer> tokenizer) {
  options.validate("data");
  TextData data;
  data.format = options.format;
  const bool lines = options.format == TextFormat::kLines;
  const auto files = read_files(options, data.notes);
  for (const auto& file : files) data.files.push_back(file.source);
  const auto splits = options.path.empty() ? take_split_files(files, options, data.notes)
                                           : split_file(files[0], options, data.notes);
  if (lines && !tokenizer) refuse_boundary(splits, tokenizer_options.boundary);
  data.tokenizer = tokenizer ? tokenizer : learn_tokenizer(tokenizer_options, splits[0], lines);
  const bool boundary = data.tokenizer->boundary_id() >= 0;
  require<UserError>(boundary == lines, "the tokenizer was made for ",
                     boundary ? "lines" : "running text", ", data.format is ",
                     name_of(options.format));
  if (lines) refuse_boundary(splits, data.tokenizer->token(data.tokenizer->boundary_id()));

  const auto encode = lines ? encode_lines : encode_text;
  data.train = encode("train", splits[0], *data.tokenizer);
  data.val = encode("val", splits[1], *data.tokenizer);
  data.test = encode("test", splits[2], *data.tokenizer);
  return data;
}

TrainingTextIndex::TrainingTextIndex(const TextData& data) {
  const auto& tokens = data.train.tokens;
  const auto& starts = data.train.starts;
  const auto text_between = [&](std::int64_t begin, std::int64_t end) {
    return data.tokenizer->decode({tokens.begin() + begin, tokens.begin() + end});
  };
  if (data.format == TextFormat::kText) {
    text_ = text_between(0, static_cast<std::int64_t>(tokens.size()));
    return;
  }
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    lines_.insert(text_between(starts[i] + 1, starts[i + 1]));
  }
}

bool TrainingTextIndex::contains(const std::string& text) const {
  return text_.empty() ? lines_.contains(text) : text_.find(text) != std::string::npos;
}

}  // namespace zoo
