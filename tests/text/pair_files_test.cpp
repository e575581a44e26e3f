#include "text/pair_files.h"

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

using std::string_literals::operator""s;

TableColumns columns(std::int64_t source, std::int64_t target, bool header = false) {
  TableColumns columns;
  columns.source = source;
  columns.target = target;
  columns.header = header;
  return columns;
}

PairLines table(const std::string& text, const TableColumns& which = {}) {
  return read_table(text, "FILE", which);
}

std::string table_error(const std::string& text, const TableColumns& which = {}) {
  return message_of<UserError>([&] { table(text, which); });
}

PairLines parallel(const std::string& sources, const std::string& targets) {
  return read_parallel(sources, "a.en", targets, "a.tr", {});
}

/// "source>target@line" for each pair.
std::vector<std::string> shown_pairs(const PairLines& lines) {
  std::vector<std::string> shown;
  for (const auto& pair : lines.pairs) {
    shown.push_back(text_of(pair.source, ">", pair.target, "@", pair.number));
  }
  return shown;
}

using Shown = std::vector<std::string>;

}  // namespace

TEST_CASE("a table gives the pairs of two columns with their lines") {
  CHECK(shown_pairs(table("one\tbir\ntwo\tiki\n")) == Shown{"one>bir@1", "two>iki@2"});
  CHECK(shown_pairs(table("one\tbir\ntwo\tiki")) == Shown{"one>bir@1", "two>iki@2"});
  CHECK(shown_pairs(table("x\tbir\tone\n", columns(3, 2))) == Shown{"one>bir@1"});
  CHECK(shown_pairs(table("en\ttr\none\tbir\n", columns(1, 2, true))) == Shown{"one>bir@2"});
  CHECK(shown_pairs(table(" a \t\"b\"\t\n")) == Shown{" a >\"b\"@1"});
  CHECK(table("").pairs.empty());
}

TEST_CASE("empty lines of a table are skipped and counted, and keep their numbers") {
  const auto lines = table("\none\tbir\n\n\ntwo\tiki\n");
  CHECK(shown_pairs(lines) == Shown{"one>bir@2", "two>iki@5"});
  CHECK(lines.empty_lines == 3);
}

TEST_CASE("a line with too few columns is refused with its number") {
  CHECK(table_error("one\tbir\ntwo iki\n") ==
        "FILE, line 2: 1 column; the target is column 2, columns are separated by a tab");
  CHECK(table_error("one\tbir\n", columns(7, 1)) ==
        "FILE, line 1: 2 columns; the source is column 7, columns are separated by a tab");
}

TEST_CASE("an empty side is refused with its line and the name of its column") {
  CHECK(table_error("one\tbir\n\tiki\n") ==
        "FILE, line 2: the source is empty; fill it in, or remove the line");
  CHECK_THAT(table_error("one\t\n"), ContainsSubstring("FILE, line 1: the target is empty"));
  DataOptions options;
  options.format = TextFormat::kLabelled;
  CHECK_THAT(table_error("A\tx\nB\ty\n\tz\n", columns_of(options)),
             ContainsSubstring("FILE, line 3: the label is empty"));
  CHECK_THAT(table_error("A\t\n", columns_of(options)), ContainsSubstring("the text is empty"));
}

TEST_CASE("labelled lines have their label first unless the columns say otherwise") {
  DataOptions options;
  options.format = TextFormat::kLabelled;
  CHECK(shown_pairs(table("greek\tAlexis\n", columns_of(options))) == Shown{"Alexis>greek@1"});
  options.source_column = 1;
  options.target_column = 3;
  CHECK(shown_pairs(table("Alexis\t-\tgreek\n", columns_of(options))) == Shown{"Alexis>greek@1"});
}

TEST_CASE("parallel texts give a pair a line; lines that are empty on both sides are skipped") {
  const auto lines = parallel("one\n\ntwo\n", "bir\n\niki");
  CHECK(shown_pairs(lines) == Shown{"one>bir@1", "two>iki@3"});
  CHECK(lines.empty_lines == 1);
  CHECK(shown_pairs(parallel("a\tb\n", "c\n")) == Shown{"a\tb>c@1"});
}

TEST_CASE("parallel texts of different lengths, or empty on one side, are refused") {
  CHECK(message_of<UserError>([] { parallel("a\nb\nc\n", "d\ne\n"); }) ==
        "a.en: 3 lines, a.tr: 2 lines; parallel files need the same number, a pair a line");
  CHECK_THAT(message_of<UserError>([] { parallel("a\n\n", "b\nc\n"); }),
             ContainsSubstring("a.en, line 2: the source is empty"));
  CHECK_THAT(message_of<UserError>([] { parallel("a\nb\n", "c\n\n"); }),
             ContainsSubstring("a.tr, line 2: the target is empty"));
}

TEST_CASE("pair files are recorded with their hashes and what was changed is noted") {
  const TemporaryFolder folder;
  const auto sources = (folder / "a.en").string(), targets = (folder / "a.tr").string();
  const auto source_text = "\xEF\xBB\xBFone\r\n\r\ntwo\r\n"s, target_text = "bir\n\niki\n"s;
  replace_file(sources, source_text);
  replace_file(targets, target_text);
  PairData data;
  data.files.push_back({"path", "other", "", 0});
  const auto pairs = read_pair_files("val_path", sources, targets, {}, data);
  REQUIRE(pairs.size() == 2);
  CHECK(pairs[1].file == 1);
  REQUIRE(data.files.size() == 3);
  CHECK(data.files[1].option == "val_path");
  CHECK(data.files[2].option == "val_target_path");
  CHECK(data.files[1].sha256 == sha256(source_text));
  CHECK(data.files[2].bytes == static_cast<std::int64_t>(target_text.size()));
  const auto notes = join(data.notes, "\n");
  CHECK_THAT(notes, ContainsSubstring("byte-order mark"));
  CHECK_THAT(notes, ContainsSubstring("3 line ends CRLF became LF"));
  CHECK_THAT(notes, ContainsSubstring(sources + ": 1 empty lines were skipped."));
}

TEST_CASE("a file of pairs that holds none is refused") {
  const TemporaryFolder folder;
  const auto path = (folder / "a.tsv").string();
  replace_file(path, "en\ttr\n\n");
  DataOptions options;
  options.header = true;
  PairData data;
  CHECK(message_of<UserError>([&] { read_pair_files("path", path, "", options, data); }) ==
        path + ": the file has no line that holds a source and a target");
}

}  // namespace zoo
