#include "text/text_data.h"

#include <algorithm>
#include <set>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// Data files in a folder of their own, and the options that read them.
struct Files {
  TemporaryFolder folder;
  DataOptions options;
  TokenizerOptions tokenizer;

  /// One file that is split.
  explicit Files(const std::string& text, TextFormat format = TextFormat::kLines) {
    options.format = format;
    options.path = add("all.txt", text);
  }

  /// Files that are already split.
  Files(const std::string& train, const std::string& val, const std::string& test = "") {
    options.train_path = add("train.txt", train);
    options.val_path = add("val.txt", val);
    if (!test.empty()) options.test_path = add("test.txt", test);
  }

  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder / name, text);
    return (folder / name).string();
  }

  TextData load() const { return load_text_data(options, tokenizer); }

  /// The message of load(), without the name of the folder.
  std::string message() const {
    return short_of(message_of<UserError>([&] { load(); }));
  }

  std::vector<std::string> notes() const {
    auto notes = load().notes;
    for (auto& note : notes) note = short_of(note);
    return notes;
  }

  std::string short_of(std::string text) const {
    const auto name = folder.path().string() + "/";
    for (auto at = text.find(name); at != std::string::npos; at = text.find(name)) {
      text.erase(at, name.size());
    }
    return text;
  }
};

std::string text_of_split(const TextData& data, const TextSplit& split) {
  return data.tokenizer->decode(split.tokens.range(0, split.tokens.size()));
}

std::vector<std::int64_t> ids_of(const TextSplit& split) {
  return split.tokens.range(0, split.tokens.size());
}

/// The lines of a split, through its `starts`.
std::vector<std::string> lines_of(const TextData& data, const TextSplit& split) {
  std::vector<std::string> lines;
  for (std::int64_t i = 0; i < split.size(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    lines.push_back(
        data.tokenizer->decode(split.tokens.range(split.starts[at] + 1, split.starts[at + 1])));
  }
  return lines;
}

std::string numbered_lines(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
  return text;
}

/// A character tokenizer of one text.
std::shared_ptr<const Tokenizer> learned(const std::string& boundary, const std::string& text) {
  return train_tokenizer({}, [&](const auto& visit) { visit(text); }, {boundary, ""});
}

std::string validate_message(const DataOptions& options) {
  return message_of<ConfigError>([&] { options.validate("data"); });
}

}  // namespace

TEST_CASE("lines become one stream with a boundary between neighbours") {
  Files files("emma\nava\n");
  files.options.val_fraction = 0;
  const auto data = files.load();
  const auto text = text_of_split(data, data.train);
  CHECK((text == "$emma$ava$" || text == "$ava$emma$"));
  CHECK(data.train.name == "train");
  CHECK(data.train.size() == 2);
  CHECK(data.train.starts.front() == 0);
  CHECK(data.train.starts.back() == data.train.tokens.size() - 1);
  for (const auto start : data.train.starts) {
    CHECK(data.train.tokens[start] == data.tokenizer->boundary_id());
  }
  CHECK(data.val.empty());
  CHECK(data.notes.empty());
}

TEST_CASE("a last line without a line break counts") {
  Files files("emma\nava");
  files.options.val_fraction = 0;
  CHECK(files.load().train.size() == 2);
}

TEST_CASE("lines are dealt by fractions, each to one split, in a fixed order") {
  Files files(numbered_lines(205));
  files.options.val_fraction = 0.1;
  files.options.test_fraction = 0.2;
  const auto data = files.load();
  CHECK(data.val.size() == 21);  // 20.5 rounded
  CHECK(data.test.size() == 41);
  CHECK(data.train.size() == 143);
  std::set<std::string> all;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    for (const auto& line : lines_of(data, *split)) all.insert(line);
  }
  CHECK(all.size() == 205);
  CHECK(ids_of(files.load().train) == ids_of(data.train));
}

TEST_CASE("split_seed alone moves lines between splits") {
  Files files(numbered_lines(100));
  const auto first = files.load();
  CHECK(lines_of(first, first.val) ==
        std::vector<std::string>{"19", "93", "20", "26", "68", "33", "71", "83", "43", "25"});
  files.options.split_seed = 2;
  const auto second = files.load();
  CHECK(lines_of(second, second.val) != lines_of(first, first.val));
}

TEST_CASE("repeated lines of one file are kept once, or stay and are told") {
  Files files("a\nb\na\nc\na\na\na\na\na\na\n");
  files.options.val_fraction = 0;
  CHECK(files.load().train.size() == 3);
  CHECK(files.notes() == std::vector<std::string>{"all.txt: 7 repeated lines were dropped."});
  files.options.deduplicate = false;
  files.options.val_fraction = 0.3;
  files.tokenizer.unknown = UnknownCharacter::kSkip;
  const auto data = files.load();
  CHECK(data.train.size() == 7);
  CHECK(data.val.size() == 3);
  CHECK(files.notes() == std::vector<std::string>{"1 distinct lines of val also stand in train."});
}

TEST_CASE("files already split keep a line in the earliest split that has it") {
  Files files("a\nb\nb\ncd\n", "b\nc\nc\n", "a\nc\nd\n");
  const auto data = files.load();
  CHECK(lines_of(data, data.train) == std::vector<std::string>{"a", "b", "cd"});
  CHECK(lines_of(data, data.val) == std::vector<std::string>{"c"});
  CHECK(lines_of(data, data.test) == std::vector<std::string>{"d"});
  CHECK(files.notes() ==
        std::vector<std::string>{"train: 1 repeated lines were dropped.",
                                 "val: 1 repeated lines were dropped.",
                                 "val: 1 lines that stand in an earlier split were dropped.",
                                 "test: 2 lines that stand in an earlier split were dropped."});
  files.options.deduplicate = false;
  CHECK(files.load().test.size() == 3);
  CHECK(files.notes() == std::vector<std::string>{"1 distinct lines of val also stand in train.",
                                                  "1 distinct lines of test also stand in train.",
                                                  "1 distinct lines of test also stand in val."});
}

TEST_CASE("a split whose every line stands in an earlier one is refused") {
  Files files("a\nb\n", "b\n");
  CHECK(files.message() ==
        "split val: each of its lines stands in an earlier split; bring other lines, or set "
        "data.deduplicate to false");
}

TEST_CASE("byte-order mark and CRLF are removed and told, empty lines are skipped") {
  Files files(
      "\xEF\xBB\xBF"
      "emma\r\n\r\nava\r\n");
  files.options.val_fraction = 0;
  const auto data = files.load();
  CHECK(text_of_split(data, data.train).size() == 10);
  CHECK(files.notes() ==
        std::vector<std::string>{"all.txt: the byte-order mark at the start was removed.",
                                 "all.txt: 3 line ends CRLF became LF.",
                                 "all.txt: 1 empty lines were skipped."});
}

TEST_CASE("running text is cut by characters as nanoGPT cuts it") {
  Files files("aé€😀\nfghijKLMNOPQRS", TextFormat::kText);
  files.tokenizer.unknown = UnknownCharacter::kReplace;
  files.options.val_fraction = 0.2;
  files.options.test_fraction = 0.3;
  const auto data = files.load();  // 19 characters: int(9.5), int(13.3)
  CHECK(text_of_split(data, data.train) == "aé€😀\nfghi");
  CHECK(data.val.tokens.size() == 4);
  CHECK(data.test.tokens.size() == 6);
  CHECK(data.train.starts == std::vector<std::int64_t>{0, 8});
  CHECK(data.train.size() == 1);
  CHECK(data.tokenizer->boundary_id() == -1);
}

TEST_CASE("empty lines and repeats of running text stay") {
  Files files("ab\n\nab\n\nab\n", TextFormat::kText);
  files.options.val_fraction = 0;
  const auto data = files.load();
  CHECK(text_of_split(data, data.train) == "ab\n\nab\n\nab\n");
  CHECK(data.notes.empty());
}

TEST_CASE("the files are recorded with hash and size of their bytes") {
  Files files("a\r\nb\n", "c\n");
  files.tokenizer.unknown = UnknownCharacter::kSkip;
  const auto data = files.load();
  REQUIRE(data.files.size() == 2);
  CHECK(data.files[0].option == "train_path");
  CHECK(data.files[0].sha256 == sha256("a\r\nb\n"));
  CHECK(data.files[0].bytes == 5);
  CHECK(data.files[1].option == "val_path");
  CHECK(data.files[1].path == files.options.val_path);
}

TEST_CASE("a missing, empty or blank file is refused") {
  Files files("");
  CHECK(files.message() == "all.txt: the file is empty");
  files.add("all.txt", "\xEF\xBB\xBF");
  CHECK(files.message() == "all.txt: the file is empty");
  files.add("all.txt", "\n\r\n\n");
  CHECK(files.message() == "all.txt: the file has no line that is not empty");
  files.options.path = (files.folder / "none.txt").string();
  CHECK(files.message() == "cannot read none.txt: No such file or directory");
  files.options.format = TextFormat::kText;
  CHECK(files.message() == "cannot read none.txt: No such file or directory");
}

TEST_CASE("bytes that are not UTF-8 are refused with file and offset") {
  CHECK(Files("ab\ncd\xFF\n").message() ==
        "all.txt: not UTF-8 at byte offset 5; save it with the encoding UTF-8");
}

TEST_CASE("a line that contains the boundary is refused with its place") {
  Files files("ab\n\ncd$\n");
  files.options.val_fraction = 0;
  CHECK(files.message() ==
        "all.txt, line 3 (train): contains the boundary \"$\"; set tokenizer.boundary to a token "
        "that no line has");
  files.tokenizer.boundary = "#";
  CHECK(files.message() == "(nothing was thrown)");
  CHECK_THAT(Files("ab\n", "a\nb$\n").message(), ContainsSubstring("val.txt, line 2 (val)"));
}

TEST_CASE("a share that gives an empty split is refused") {
  Files lines("a\nb\nc\n");
  CHECK(lines.message() ==
        "data.val_fraction: 0.1 of all.txt gives an empty split val; raise it, or set it to 0");
  lines.options.val_fraction = 0.5;
  lines.options.test_fraction = 0.1;
  CHECK_THAT(lines.message(), ContainsSubstring("data.test_fraction: 0.1 of all.txt"));
  lines.options.test_fraction = 0.4;
  CHECK(lines.message() ==
        "data.val_fraction and data.test_fraction leave nothing of all.txt for train; lower them");
  Files text("abc", TextFormat::kText);
  text.options.val_fraction = 0.9;
  CHECK_THAT(text.message(), ContainsSubstring("leave nothing of all.txt for train"));
  text.options.val_fraction = 0;
  CHECK(text.message() == "(nothing was thrown)");
}

TEST_CASE("a split of running text needs two tokens") {
  Files files("abab", TextFormat::kText);
  files.options.val_fraction = 0.25;
  CHECK(files.message() == "split val: 1 tokens are too few to predict one from another");
}

TEST_CASE("an unknown character of val is refused with its place and what to set") {
  Files lines("ab\nba\n", "ab\n\naxb\n");
  lines.options.deduplicate = false;
  CHECK(lines.message() ==
        "val.txt, line 3 (val): the character \"x\" (U+0078) at position 2 is not in the "
        "vocabulary of 3 tokens; set tokenizer.unknown to skip or replace");
  Files text("abab\nab\nbb\nxa\n", TextFormat::kText);
  text.options.val_fraction = 0.3;
  CHECK_THAT(text.message(), ContainsSubstring("all.txt, line 4 (val): the character \"x\""));
}

TEST_CASE("a tokenizer that is given is used and must fit the format") {
  Files files("ab\n", "ba\n");
  const auto lines = learned("$", "abc");
  const auto data = load_text_data(files.options, {}, {}, {.target = lines});
  CHECK(data.tokenizer == lines);
  CHECK(ids_of(data.train) == std::vector<std::int64_t>{0, 1, 2, 0});
  const auto text = learned("", "abc");
  CHECK(message_of<UserError>([&] { load_text_data(files.options, {}, {}, {.target = text}); }) ==
        "the tokenizer was made for running text, data.format is lines");
  const auto ends_with_a = learned("a", "bc");
  CHECK_THAT(message_of<UserError>(
                 [&] { load_text_data(files.options, {}, {}, {.target = ends_with_a}); }),
             ContainsSubstring("train.txt, line 1 (train): contains the boundary \"a\""));
}

TEST_CASE("split finds a split by name and says which there are") {
  Files files(numbered_lines(20));
  const auto data = files.load();
  CHECK(&data.split("val") == &data.val);
  CHECK(message_of<UserError>([&] { data.split("test"); }) ==
        "split test: there is none; the data has train, val; set data.test_fraction or "
        "data.test_path");
  CHECK(message_of<UserError>([&] { data.split("vall"); }) ==
        "split vall: unknown; the data has train, val; did you mean val?");
}

TEST_CASE("the options of data name one source, shares below 1 and a view of the format") {
  DataOptions options;
  CHECK(validate_message(options) ==
        "data.path: missing; set data.path (one file, which is split), data.train_path, "
        "data.catalogues or data.synthetic");
  options.path = "a";
  CHECK(validate_message(options) == "(nothing was thrown)");
  options.val_path = "b";
  CHECK_THAT(validate_message(options), ContainsSubstring("not both"));
  options.path = "";
  CHECK_THAT(validate_message(options), ContainsSubstring("data.path: missing"));
  options.train_path = "c";
  CHECK(validate_message(options) == "(nothing was thrown)");
  options.val_fraction = 0.5;
  options.test_fraction = 0.5;
  CHECK_THAT(validate_message(options), ContainsSubstring("their sum must be below 1"));
  options.test_fraction = 0;
  options.view = TextView::kWindows;
  CHECK_THAT(validate_message(options), ContainsSubstring("data.view: windows needs format text"));
  options.view = TextView::kPrefixes;
  CHECK(validate_message(options) == "(nothing was thrown)");
  options.format = TextFormat::kText;
  CHECK(validate_message(options) == "(nothing was thrown)");
  options.view = TextView::kLines;
  CHECK_THAT(validate_message(options), ContainsSubstring("data.view: lines needs format lines"));
}

TEST_CASE("the index finds whole lines of train, and any part of running text") {
  Files lines("emma\nava\n", "zoe\n");
  lines.tokenizer.unknown = UnknownCharacter::kReplace;
  const TrainingTextIndex names(lines.load());
  CHECK(names.contains("emma"));
  CHECK(names.contains("ava"));
  CHECK_FALSE(names.contains("emm"));
  CHECK_FALSE(names.contains("zoe"));
  CHECK_FALSE(names.contains(""));
  Files text("emma\nava\n", TextFormat::kText);
  text.options.val_fraction = 0;
  const TrainingTextIndex running(text.load());
  CHECK(running.contains("ma\nav"));
  CHECK_FALSE(running.contains("mm\n"));
}

TEST_CASE("the names of the repository have the alphabet and the sizes that the docs name") {
  DataOptions options;
  options.path = "data/names.txt";
  const auto data = load_text_data(options, {});
  CHECK(data.tokenizer->vocab_size() == 27);
  CHECK(data.val.size() == 2969);
  CHECK(data.train.size() == 29'693 - 2969);
  CHECK(data.notes.empty());
  CHECK(data.tokenizer->encode("$sada$") == std::vector<std::int64_t>{0, 19, 1, 4, 1, 0});
}

}  // namespace zoo
