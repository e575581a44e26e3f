#include "text/pairs.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/mo_file.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// Files of pairs in a folder of their own, and the options that read them.
struct Pairs {
  TemporaryFolder folder;
  DataOptions options;

  explicit Pairs(const std::string& text, TextFormat format = TextFormat::kPairs) {
    options.format = format;
    options.path = add("all.tsv", text);
    options.val_fraction = 0.25;
  }

  Pairs(const std::string& train, const std::string& val, const std::string& test = "") {
    options.format = TextFormat::kPairs;
    options.train_path = add("train.tsv", train);
    options.val_path = add("val.tsv", val);
    if (!test.empty()) options.test_path = add("test.tsv", test);
  }

  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder / name, text);
    return (folder / name).string();
  }

  PairData load() const { return load_pairs(options); }
  std::string error() const {
    return message_of<UserError>([&] { load(); });
  }
  std::string notes() const { return join(load().notes, "\n"); }
};

std::vector<std::string> shown_pairs(const std::vector<TextPair>& pairs) {
  std::vector<std::string> shown;
  for (const auto& pair : pairs) shown.push_back(pair.source + ">" + pair.target);
  std::sort(shown.begin(), shown.end());
  return shown;
}

std::array<std::size_t, 3> sizes(const PairData& data) {
  return {data.splits[0].size(), data.splits[1].size(), data.splits[2].size()};
}

using Shown = std::vector<std::string>;
using Sizes = std::array<std::size_t, 3>;

/// `sources` sources, each with `targets` targets.
std::string many_pairs(int sources, int targets = 1) {
  std::string text;
  for (int k = 0; k < targets; ++k) {
    for (int i = 0; i < sources; ++i) text += text_of("source ", i, "\ttarget ", i, " ", k, "\n");
  }
  return text;
}

}  // namespace

TEST_CASE("pairs are dealt by source: all pairs of one source stand in one split") {
  Pairs pairs(many_pairs(40, 3));
  pairs.options.test_fraction = 0.1;
  const auto data = pairs.load();
  CHECK(sizes(data) == Sizes{78, 30, 12});
  std::map<std::string, std::set<std::size_t>> splits_of;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const auto& pair : data.splits[i]) splits_of[pair.source].insert(i);
  }
  CHECK(splits_of.size() == 40);
  for (const auto& [source, splits] : splits_of) CHECK(splits.size() == 1);
}

TEST_CASE("the order of the split is a function of split_seed") {
  Pairs pairs(many_pairs(40));
  const auto first = shown_pairs(pairs.load().splits[1]);
  CHECK(first == shown_pairs(pairs.load().splits[1]));
  pairs.options.split_seed = 2;
  CHECK(first != shown_pairs(pairs.load().splits[1]));
}

TEST_CASE("equal pairs are kept once, equal sources with other targets are kept") {
  Pairs pairs("a\tb\na\tc\na\tb\nd\tb\n");
  pairs.options.val_fraction = 0;
  CHECK(shown_pairs(pairs.load().splits[0]) == Shown{"a>b", "a>c", "d>b"});
  CHECK_THAT(pairs.notes(), ContainsSubstring("all.tsv: 1 repeated pairs were dropped."));
  pairs.options.deduplicate = false;
  CHECK(pairs.load().splits[0].size() == 4);
}

TEST_CASE("pairs with a side that is too long in characters are left out") {
  Pairs pairs("şşş\tx\nx\tşşşş\nşşşş\tx\ny\tşşş\n");
  pairs.options.val_fraction = 0;
  pairs.options.max_characters = 3;
  CHECK(shown_pairs(pairs.load().splits[0]) == Shown{"y>şşş", "şşş>x"});
  CHECK_THAT(pairs.notes(),
             ContainsSubstring("2 pairs with a side of more than 3 characters were left out."));
  pairs.options.max_characters = 2;
  CHECK_THAT(pairs.error(), ContainsSubstring("raise data.max_characters"));
}

TEST_CASE("a split that is asked for and gets nothing is an error, as is an empty train") {
  Pairs pairs("a\tb\nc\td\n");
  pairs.options.val_fraction = 0.1;
  CHECK(pairs.error() == "data.val_fraction: 0.1 of " + pairs.options.path +
                             " gives an empty split val; raise it, or set it to 0");
  pairs.options.val_fraction = 0.5;
  pairs.options.test_fraction = 0.5;
  CHECK_THAT(pairs.error(), ContainsSubstring("leave nothing of " + pairs.options.path));
}

TEST_CASE("already split pairs lose what stands in an earlier split, or tell of it") {
  Pairs pairs("a\tb\nc\td\n", "a\tx\ne\tf\n", "e\ty\nc\tz\ng\th\n");
  const auto data = pairs.load();
  CHECK(shown_pairs(data.splits[1]) == Shown{"e>f"});
  CHECK(shown_pairs(data.splits[2]) == Shown{"g>h"});
  CHECK(data.files.size() == 3);
  CHECK(data.files[2].option == "test_path");
  CHECK_THAT(
      pairs.notes(),
      ContainsSubstring("val: 1 pairs whose source stands in an earlier split were dropped.") &&
          ContainsSubstring("test: 2 pairs whose source"));
  pairs.options.deduplicate = false;
  CHECK(sizes(pairs.load()) == Sizes{2, 2, 3});
  CHECK_THAT(pairs.notes(),
             ContainsSubstring("val: 1 pairs whose source stands in an earlier split."));
}

TEST_CASE("a split all of whose sources stand earlier is an error") {
  CHECK_THAT(Pairs("a\tb\n", "a\tc\n").error(),
             ContainsSubstring("split val: each of its sources stands in an earlier split"));
}

TEST_CASE("parallel files are read for each split") {
  Pairs pairs("a\nb\n", "c\n");
  pairs.options.train_target_path = pairs.add("train.tr", "x\ny\n");
  pairs.options.val_target_path = pairs.add("val.tr", "z\n");
  const auto data = pairs.load();
  CHECK(shown_pairs(data.splits[0]) == Shown{"a>x", "b>y"});
  CHECK(shown_pairs(data.splits[1]) == Shown{"c>z"});
  CHECK(data.files.size() == 4);
}

TEST_CASE("a label of val or test that train does not have is an error") {
  Pairs pairs("A\tx\nB\ty\n", "A\tz\nC\tp\nC\tq\n");
  pairs.options.format = TextFormat::kLabelled;
  CHECK(pairs.error() == pairs.options.val_path +
                             ", line 2 (val): no example of train has the label \"C\"; its labels: "
                             "A, B; bring examples of it to train, or remove it");
  std::string many;
  for (char label = 'A'; label < 'P'; ++label) many += std::string(1, label) + "\tx\n";
  pairs.options.train_path = pairs.add("train.tsv", many);
  pairs.options.val_path = pairs.add("val.tsv", "Z\tz\n");
  CHECK_THAT(pairs.error(), ContainsSubstring("J, K, L and 3 others; bring"));
  pairs.options.val_path = pairs.add("val.tsv", "B\tz\n");
  const auto data = pairs.load();
  CHECK(shown_pairs(data.splits[1]) == Shown{"z>B"});
}

TEST_CASE("labelled lines with one label are an error") {
  Pairs pairs("A\tx\nA\ty\nA\tz\nA\tw\n", TextFormat::kLabelled);
  CHECK(pairs.error() ==
        "label \"A\": the training split has no other; a classifier needs at least two");
}

TEST_CASE("near duplicates of training sources are counted, of pairs only") {
  Pairs pairs("Open the file\ta\nclose it\tb\n", "open the FILE!\tc\nsomething else\td\n");
  const auto expected =
      ContainsSubstring("val: 1 of 2 sources (50.0 %) are near duplicates of a training source.");
  CHECK_THAT(pairs.notes(), expected);
  pairs.options.format = TextFormat::kLabelled;
  pairs.options.val_path = pairs.add("val.tsv", "Open the file\tx\n");
  CHECK_THAT(pairs.notes(), !ContainsSubstring("near duplicates"));
}

TEST_CASE("catalogues become pairs that are split like a file's") {
  Pairs pairs("");
  pairs.options.path.clear();
  pairs.options.catalogues = "tr";
  pairs.options.catalogue_folder = pairs.folder.path().string();
  MoStrings strings = {mo_header("UTF-8")};
  for (int i = 0; i < 20; ++i) strings.push_back({text_of("m", i), text_of("t", i)});
  strings.push_back({"menu\4m1", "t1"});
  strings.push_back({"a long one", "x"});
  pairs.add("a.mo", mo_file(strings));
  pairs.options.max_characters = 5;
  const auto data = pairs.load();
  CHECK(sizes(data) == Sizes{15, 5, 0});
  CHECK_THAT(pairs.notes(), ContainsSubstring("catalogues: 1 repeated pairs were dropped.") &&
                                ContainsSubstring("catalogues: 1 pairs with a side of more than"));
  pairs.options.max_characters = 1;
  CHECK_THAT(pairs.error(), ContainsSubstring("catalogues: each pair has a side of more than 1"));
}

TEST_CASE("synthetic pairs are dealt and come from no file") {
  DataOptions options;
  options.format = TextFormat::kPairs;
  options.synthetic = SyntheticTask::kCopy;
  options.examples = 100;
  const auto data = load_pairs(options);
  CHECK(sizes(data) == Sizes{90, 10, 0});
  CHECK(data.files.empty());
  CHECK(data.splits[1][0].file == -1);
}

}  // namespace zoo
