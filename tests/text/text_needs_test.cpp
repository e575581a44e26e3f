#include <filesystem>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "text/text_data.h"

namespace zoo {
namespace {

using Ids = std::vector<std::int64_t>;
using Labels = std::vector<std::int32_t>;
using Strings = std::vector<std::string>;

/// A training and a validation file, and what a task asks of them.
struct Files {
  TemporaryFolder folder;
  DataOptions options;
  TokenizerOptions tokenizer;
  TextNeeds needs;
  Tokenizers made;

  Files(TextFormat format, const std::string& train, const std::string& val = "",
        const TextNeeds& of_task = {})
      : needs(of_task) {
    options.format = format;
    options.train_path = add("train.txt", train);
    if (!val.empty()) options.val_path = add("val.txt", val);
  }

  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder / name, text);
    return (folder / name).string();
  }
  TextData load() const { return load_text_data(options, tokenizer, needs, made); }

  /// The message of load(), without the name of the folder.
  std::string message() const {
    auto text = message_of<UserError>([&] { load(); });
    const auto name = folder.path().string() + "/";
    return text.starts_with(name) ? text.substr(name.size()) : text;
  }
};

Files classes(const std::string& train, const std::string& val = "") {
  return Files(TextFormat::kLabelled, train, val, {.classes = true});
}

Files marked(TextFormat format, const std::string& train, const std::string& val = "") {
  return Files(format, train, val, {.marks = true});
}

/// Pairs whose sources have a vocabulary of their own.
Files two_vocabularies(const std::string& train, const std::string& val = "") {
  return Files(TextFormat::kPairs, train, val, {.source_tokenizer = TokenizerOptions{}});
}

Ids ids_of(const TextSplit& split) { return split.tokens.range(0, split.tokens.size()); }

std::string text_of_split(const TextData& data, const TextSplit& split) {
  return data.tokenizer->decode(ids_of(split));
}

Ids role_ids(const Tokenizer& tokenizer) {
  return {tokenizer.boundary_id(), tokenizer.separator_id(), tokenizer.mask_id(),
          tokenizer.padding_id()};
}

std::shared_ptr<const Tokenizer> learned(const TokenRoles& roles, const std::string& text) {
  return train_tokenizer({}, [&](const auto& visit) { visit(text); }, roles);
}

}  // namespace

TEST_CASE("labels become classes, sorted, and texts are laid out as lines") {
  const auto files = classes("b\txy\na\tyx\nc\tyy\n", "c\tx\na\tyyx\n");
  const auto data = files.load();
  CHECK(data.classes == Strings{"a", "b", "c"});
  CHECK(data.train.labels == Labels{1, 0, 2});
  CHECK(data.val.labels == Labels{2, 0});
  CHECK(text_of_split(data, data.train) == "$xy$yx$yy$");
  CHECK(data.train.starts == Ids{0, 3, 6, 9});
  CHECK(data.train.separators.empty());
  CHECK(data.train.characters == 9);
  CHECK(data.tokenizer->vocab_size() == 3);  // $, x, y: no label is text
  CHECK(role_ids(*data.tokenizer) == Ids{0, -1, -1, -1});
  CHECK(data.source_tokenizer == data.tokenizer);
  CHECK(TrainingTextIndex(data).contains("yx"));
}

TEST_CASE("labels that nobody makes classes of stay text") {
  auto files = classes("b\txy\na\tyx\n");
  files.needs.classes = false;
  const auto data = files.load();
  CHECK(data.classes.empty());
  CHECK(data.train.labels.empty());
  CHECK(text_of_split(data, data.train) == "$xy[SEP]b$yx[SEP]a$");
}

TEST_CASE("a label that train does not have is refused with its place and the labels there are") {
  CHECK(classes("b\tx\na\ty\n", "a\tyy\nd\txx\n").message() ==
        "val.txt, line 2 (val): no example of train has the label \"d\"; its labels: a, b; bring "
        "examples of it to train, or remove it");
  CHECK_THAT(classes("b\tx\nb\ty\n").message(), ContainsSubstring("needs at least two"));
}

TEST_CASE("classes need labelled lines") {
  for (const auto format : {TextFormat::kLines, TextFormat::kText, TextFormat::kPairs}) {
    Files files(format, "a\tb\nc\td\n");
    files.needs.classes = true;
    CHECK(files.message() == "data.format: got " + std::string(name_of(format)) +
                                 "; the task needs labelled lines; set data.format to labelled");
  }
}

TEST_CASE("marks give every format a mask, and all but running text separator and padding") {
  CHECK(role_ids(*marked(TextFormat::kLines, "ab\n").load().tokenizer) == Ids{0, 1, 2, 3});
  CHECK(role_ids(*marked(TextFormat::kPairs, "a\tb\n").load().tokenizer) == Ids{0, 1, 2, 3});
  CHECK(role_ids(*marked(TextFormat::kText, "ab\n").load().tokenizer) == Ids{-1, -1, 0, -1});
  auto files = marked(TextFormat::kLabelled, "a\tx\nb\ty\n");
  files.needs.classes = true;
  const auto data = files.load();
  CHECK(role_ids(*data.tokenizer) == Ids{0, 1, 2, 3});
  CHECK(data.tokenizer->token(1) == "[SEP]");
  CHECK(data.tokenizer->token(2) == "[MASK]");
  CHECK(data.tokenizer->token(3) == "[PAD]");
  CHECK(text_of_split(data, data.train) == "$x$y$");
}

TEST_CASE("a given tokenizer must have the marks that the task needs, padding excepted") {
  auto files = marked(TextFormat::kLines, "ab\n");
  const auto message = [&](const TokenRoles& roles) {
    files.made.target = learned(roles, "ab");
    return files.message();
  };
  CHECK(message({"$", "[SEP]", kMaskToken}) == "(nothing was thrown)");
  CHECK(message({"$", "[SEP]"}) ==
        "the tokenizer was made without a mask ([MASK] or <mask>), which the task needs");
  CHECK(message({.boundary = "$", .mask = kMaskToken}) ==
        "the tokenizer was made without a separator, which the task needs");
  files.needs.marks = false;
  CHECK(message({"$", ""}) == "(nothing was thrown)");
  CHECK(message({"$", "[SEP]", kMaskToken, kPaddingToken}) == "(nothing was thrown)");
}

TEST_CASE("a tokenizer that classes alone are read with needs a boundary only") {
  auto files = classes("a\tx\nb\ty\n");
  files.made.target = learned({"$", ""}, "xy");
  CHECK(files.message() == "(nothing was thrown)");
  files.needs.classes = false;
  CHECK(files.message() == "the tokenizer was made without a separator, which pairs need");
}

TEST_CASE("a loaded tokenizer without a mask is refused by its file where the task masks") {
  auto files = marked(TextFormat::kLines, "a\n");
  files.tokenizer.path = files.add("vocab.txt", "[UNK]\n[CLS]\n[SEP]\na\n");
  files.tokenizer.boundary = "[CLS]";
  CHECK(files.message() == "vocab.txt: has no mask token ([MASK] or <mask>)");
  files.needs.marks = false;
  CHECK(files.message() == "(nothing was thrown)");
}

TEST_CASE("lines that contain the mask or the padding are refused with their place") {
  CHECK(marked(TextFormat::kLines, "ab\na[MASK]\n").message() ==
        "train.txt, line 2 (train): contains the mask \"[MASK]\", which only the task may put "
        "there; remove it from the text");
  CHECK_THAT(marked(TextFormat::kPairs, "a\tb\n", "b\ta[PAD]\n").message(),
             ContainsSubstring("val.txt, line 1 (val): contains the padding \"[PAD]\""));
  Files unmarked(TextFormat::kLines, "ab\na[MASK]\n");
  CHECK(unmarked.message() == "(nothing was thrown)");
  unmarked.made.target = learned({.boundary = "$", .padding = "<pad>"}, "ab[MASK]");
  unmarked.add("train.txt", "ab\na<pad>\n");
  CHECK_THAT(unmarked.message(), ContainsSubstring("contains the padding \"<pad>\""));
}

TEST_CASE("running text that contains the mask is refused with its line, padding is text there") {
  CHECK(marked(TextFormat::kText, "ab\n\na [MASK]\n").message() ==
        "train.txt, line 3 (train): contains the mask \"[MASK]\", which only the task may put "
        "there; remove it from the text");
  auto val = marked(TextFormat::kText, "ab\nMASK[]\n", "ab\n[MASK]\n");
  CHECK_THAT(val.message(), ContainsSubstring("val.txt, line 2 (val): contains the mask"));
  val.made.target = learned({.mask = kMaskToken}, "abMASK[]\n");
  CHECK_THAT(val.message(), ContainsSubstring("val.txt, line 2 (val): contains the mask"));
  CHECK(marked(TextFormat::kText, "a[PAD]\n").message() == "(nothing was thrown)");
  CHECK(Files(TextFormat::kText, "a [MASK]\n").message() == "(nothing was thrown)");
}

TEST_CASE("sources with a vocabulary of their own are learned and encoded apart from targets") {
  const auto files = two_vocabularies("ba\txyx\nab\ty\n");
  const auto data = files.load();
  CHECK(data.source_tokenizer != data.tokenizer);
  CHECK(role_ids(*data.source_tokenizer) == Ids{-1, -1, -1, 0});
  CHECK(data.source_tokenizer->token(0) == "[PAD]");
  CHECK(data.source_tokenizer->vocab_size() == 3);  // [PAD], a, b
  CHECK(role_ids(*data.tokenizer) == Ids{0, 1, -1, -1});
  CHECK(data.tokenizer->vocab_size() == 4);  // $, [SEP], x, y
  // $ba[SEP]xyx$ab[SEP]y$: a 1 and b 2 of the sources, x 2 and y 3 of the targets.
  CHECK(ids_of(data.train) == Ids{0, 2, 1, 1, 2, 3, 2, 0, 1, 2, 1, 3, 0});
  CHECK(data.train.separators == Ids{3, 10});
  const TrainingTextIndex index(data);
  CHECK(index.contains("ba[SEP]xyx"));
  CHECK_FALSE(index.contains("ab[SEP]x"));
}

TEST_CASE("one vocabulary of both sides is one object") {
  auto files = two_vocabularies("ba\txyx\n");
  files.needs.source_tokenizer.reset();
  files.made.source = learned({}, "ab");  // of no use then
  const auto data = files.load();
  CHECK(data.source_tokenizer == data.tokenizer);
  CHECK(data.tokenizer->vocab_size() == 6);
}

TEST_CASE("messages about sources name their own options") {
  auto files = two_vocabularies("ba\txyx\n", "bx\tx\n");
  CHECK(files.message() ==
        "val.txt, line 1 (val): the character \"x\" (U+0078) at position 2 is not in the "
        "vocabulary of 3 tokens; set source_tokenizer.unknown to skip or replace");
  files.add("val.txt", "b\ta\n");
  CHECK_THAT(files.message(), ContainsSubstring("; set tokenizer.unknown to skip or replace"));
  files.needs.source_tokenizer->type = TokenizerType::kByteBpe;
  files.needs.source_tokenizer->vocab_size = 5;
  CHECK_THAT(files.message(), ContainsSubstring("source_tokenizer.vocab_size: 5 is too small"));
  files.needs.source_tokenizer->boundary = "";
  CHECK_THAT(files.message(), ContainsSubstring("source_tokenizer.boundary: got \"\""));
}

TEST_CASE("a source may contain the target's marks, but not its own padding") {
  CHECK(two_vocabularies("b$[SEP]\tx\n").message() == "(nothing was thrown)");
  CHECK_THAT(two_vocabularies("b\tx$\n").message(), ContainsSubstring("contains the boundary"));
  CHECK_THAT(two_vocabularies("a[PAD]\tx\n").message(),
             ContainsSubstring("train.txt, line 1 (train): contains the padding \"[PAD]\""));
  CHECK(two_vocabularies("a\t[PAD]\n").message() == "(nothing was thrown)");
}

TEST_CASE("both tokenizers may be given, or loaded from a file") {
  auto files = two_vocabularies("ba\txyx\n");
  files.made = {learned({"$", "[SEP]"}, "xyz"), learned({.padding = kPaddingToken}, "abc")};
  auto data = files.load();
  CHECK(data.tokenizer == files.made.target);
  CHECK(data.source_tokenizer == files.made.source);
  CHECK(ids_of(data.train) == Ids{0, 2, 1, 1, 2, 3, 2, 0});
  files.made = {};
  files.needs.source_tokenizer->path =
      files.add("vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nb\n##a\n");
  data = files.load();
  CHECK(role_ids(*data.source_tokenizer) == Ids{-1, -1, -1, 0});
  CHECK(ids_of(data.train) == Ids{0, 4, 5, 1, 2, 3, 2, 0});
}

TEST_CASE("a vocabulary of sources needs sources and targets to write") {
  for (const auto format : {TextFormat::kLines, TextFormat::kText}) {
    Files files(format, "ab\n");
    files.needs.source_tokenizer = TokenizerOptions{};
    CHECK_THAT(files.message(), ContainsSubstring("source_tokenizer: needs sources with targets"));
  }
  auto files = classes("a\tx\nb\ty\n");
  files.needs.source_tokenizer = TokenizerOptions{};
  CHECK_THAT(files.message(), ContainsSubstring("source_tokenizer: needs sources with targets"));
}

}  // namespace zoo
