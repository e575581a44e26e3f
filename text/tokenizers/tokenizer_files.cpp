#include "text/tokenizers/tokenizer_files.h"

#include <string_view>
#include <vector>

#include "core/errors.h"
#include "core/files.h"
#include "text/tokenizers/added_tokens.h"
#include "text/tokenizers/json_node.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/tokenizer_json.h"
#include "text/tokenizers/tokenizer_roles.h"
#include "text/utf8.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string read_bounded(const fs::path& path) {
  std::error_code error;
  const auto size = fs::file_size(path, error);  // of a regular file only
  require<UserError>(!error, path.string(), ": ", error.message());
  require<UserError>(size <= kLargestTokenizerFile, path.string(), ": ", size, " bytes; at most ",
                     kLargestTokenizerFile, " are read");
  return read_file(path);
}

Json read_json(const fs::path& path) {
  return parse_bounded_json(read_bounded(path), path.string());
}

/// Calls `visit(line, number)` without line ends; the last line may end without one.
template <class Visitor>
void for_each_line(const fs::path& path, const Visitor& visit) {
  const auto bytes = read_bounded(path);
  const auto valid = valid_utf8_prefix(bytes);
  if (valid < bytes.size()) refuse_utf8(path.string(), static_cast<std::int64_t>(valid));
  std::string_view rest = bytes;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const auto end = rest.find('\n');
    auto line = rest.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    visit(line, number);
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
}

/// The tokens that are in the vocabulary, as special tokens.
Json special_tokens(const Json& vocab, const std::vector<std::string>& names) {
  auto tokens = Json::array();
  for (const auto& name : names) {
    const auto entry = vocab.find(name);
    if (entry == vocab.end() || !entry->is_number_integer()) continue;
    tokens.push_back(special_token_json(name, entry->get<std::int64_t>()));
  }
  return tokens;
}

Json read_merges(const fs::path& path, const Json& vocab) {
  auto merges = Json::array();
  for_each_line(path, [&](std::string_view line, std::int64_t number) {
    if (number == 1 && line.starts_with("#version")) return;
    const auto fail = [&](const std::string& what) {
      throw UserError(text_of(path.string(), ", line ", number, ": ", what));
    };
    const auto space = line.find(' ');
    const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                     line.find(' ', space + 1) == std::string_view::npos;
    if (!two) fail("got " + in_quotes(line) + "; expected two tokens, separated by a space");
    const std::string left(line.substr(0, space));
    const std::string right(line.substr(space + 1));
    for (const auto& token : {left, right, left + right}) {
      if (!vocab.contains(token)) fail(in_quotes(token) + " is not in the vocabulary beside it");
    }
    merges.push_back(Json::array({left, right}));
  });
  return merges;
}

/// As transformers' GPT2Tokenizer takes the files.
Json gpt2_json(const fs::path& vocab_path, const fs::path& merges_path) {
  auto vocab = read_json(vocab_path);
  require<UserError>(vocab.is_object(), vocab_path.string(),
                     ": expected an object of tokens and ids");
  auto json = tokenizer_frame({}, {});
  json["added_tokens"] = special_tokens(vocab, {"<|endoftext|>"});
  json["pre_tokenizer"] = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", true},
                           {"use_regex", true}};
  json["decoder"] = json["pre_tokenizer"];
  auto merges = read_merges(merges_path, vocab);
  json["model"] = {{"type", "BPE"}, {"vocab", std::move(vocab)}, {"merges", std::move(merges)}};
  return json;
}

Json read_vocab_lines(const fs::path& path) {
  auto vocab = Json::object();
  for_each_line(path, [&](std::string_view line, std::int64_t number) {
    const auto place = [&] { return text_of(path.string(), ", line ", number, ": "); };
    require<UserError>(!line.empty(), place(), "empty; expected one token a line");
    const auto [entry, added] = vocab.emplace(std::string(line), number - 1);
    require<UserError>(added, place(), in_quotes(line), " stands on line ",
                       entry->get<std::int64_t>() + 1, " already");
  });
  require<UserError>(vocab.contains("[UNK]"), path.string(), ": has no token \"[UNK]\"");
  return vocab;
}

/// As transformers' BertTokenizer takes the file.
Json bert_json(const fs::path& path) {
  auto vocab = read_vocab_lines(path);
  auto json = tokenizer_frame({}, {});
  json["added_tokens"] = special_tokens(vocab, {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"});
  json["normalizer"] = {{"type", "BertNormalizer"},
                        {"clean_text", true},
                        {"handle_chinese_chars", true},
                        {"strip_accents", nullptr},
                        {"lowercase", true}};
  json["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  json["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  json["model"] = {{"type", "WordPiece"},
                   {"unk_token", "[UNK]"},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 100},
                   {"vocab", std::move(vocab)}};
  return json;
}

fs::path file_in(const fs::path& folder) {
  for (const auto* name : {"tokenizer.json", "vocab.json", "vocab.txt"}) {
    if (fs::exists(folder / name)) return folder / name;
  }
  throw UserError(text_of(folder.string(),
                          ": has none of tokenizer.json, vocab.json (with merges.txt), vocab.txt"));
}

}  // namespace

TokenizerFile read_tokenizer_file(const fs::path& path) {
  constexpr std::string_view kVocabulary = "vocab.json";
  const auto file = fs::is_directory(path) ? file_in(path) : path;
  const auto name = file.filename().string();
  if (name.ends_with(kVocabulary)) {
    // `gpt2-vocab.json` has `gpt2-merges.txt` beside it.
    const auto stem = name.substr(0, name.size() - kVocabulary.size());
    return {gpt2_json(file, file.parent_path() / (stem + "merges.txt")), file.string()};
  }
  if (name.ends_with("merges.txt")) {
    throw UserError(text_of(file.string(), ": are the merges; name the vocab.json beside it"));
  }
  if (file.extension() == ".txt") return {bert_json(file), file.string()};
  return {read_json(file), file.string()};
}

std::shared_ptr<const Tokenizer> load_tokenizer(const fs::path& path, const TokenRoles& roles) {
  const auto file = read_tokenizer_file(path);
  return tokenizer_with_roles(file.json, roles, file.source);
}

}  // namespace zoo
