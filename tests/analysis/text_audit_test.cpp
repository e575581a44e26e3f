#include "analysis/text_audit.h"

#include <algorithm>

#include "analysis/audit_findings.h"
#include "core/files.h"
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
  TextNeeds needs;

  Files(const std::string& train, const std::string& val, const std::string& test = "",
        TextFormat format = TextFormat::kLines) {
    options.format = format;
    options.train_path = add("train.txt", train);
    if (!val.empty()) options.val_path = add("val.txt", val);
    if (!test.empty()) options.test_path = add("test.txt", test);
  }

  std::string add(const std::string& name, const std::string& text) const {
    replace_file(folder / name, text);
    return (folder / name).string();
  }

  TextAudit audit() const { return audit_text(options, tokenizer, needs); }

  /// The findings in one text, without the name of the folder.
  std::string found() const {
    std::string all;
    for (const auto& sentence : findings(audit())) all += sentence + "\n";
    const auto name = folder.path().string() + "/";
    for (auto at = all.find(name); at != std::string::npos; at = all.find(name)) {
      all.erase(at, name.size());
    }
    return all;
  }
};

std::string name_in(const std::string& place) { return place.substr(place.rfind('/') + 1); }

/// "qé": the characters alone.
std::u32string characters_of(const std::vector<CharacterCount>& counts) {
  std::u32string text;
  for (const auto& one : counts) text += one.character;
  return text;
}

const std::string kLong = "the quick brown fox jumps over the lazy dog";

}  // namespace

TEST_CASE("an audit of lines counts examples, tokens, characters and lengths") {
  const auto audit = Files("ab\ncdéf\nb\n", "fa\n").audit();
  REQUIRE(audit.splits.size() == 2);
  const auto& train = audit.splits[0];
  CHECK(train.name == "train");
  CHECK(train.examples == 3);
  CHECK(train.characters == 7);
  CHECK(train.tokens == 11);
  CHECK(train.character_lengths.shortest == 1);
  CHECK(train.character_lengths.median == 2);
  CHECK(train.character_lengths.longest == 4);
  CHECK(name_in(train.character_lengths.longest_place) == "train.txt, line 2 (train)");
  REQUIRE(train.token_lengths);
  CHECK(train.token_lengths->longest == 5);
  CHECK(name_in(train.token_lengths->longest_place) == "train.txt, line 2 (train)");
  CHECK_FALSE(train.target_lengths);
  CHECK(characters_of(train.alphabet) == U"acdféb");
  CHECK(audit.splits[1].unseen.empty());
  CHECK(audit.vocab_size == 7);
  CHECK(std::string(audit.unit()) == "lines");
}

TEST_CASE("what stands twice in a split or in two is counted where it was kept") {
  Files files("anna\nbea\nanna\nada\n", "bea\nida\nada\n", "ida\nbea\neda\n");
  const auto kept = files.audit();
  for (const auto& split : kept.splits) {
    CHECK(split.repeated.count == 0);
    CHECK(split.in_train.count == 0);
    CHECK(split.in_val.count == 0);
  }
  CHECK(kept.deduplicate);
  CHECK(kept.notes.size() == 3);
  files.options.deduplicate = false;
  const auto audit = files.audit();
  CHECK_FALSE(audit.deduplicate);
  CHECK(audit.splits[0].repeated.count == 1);
  CHECK(name_in(audit.splits[0].repeated.first.at(0)) == "train.txt, line 3 (train)");
  CHECK(audit.splits[0].in_train.count == 0);
  CHECK(audit.splits[1].in_train.count == 2);
  CHECK(audit.splits[1].repeated.count == 0);
  CHECK(audit.splits[2].in_train.count == 1);
  CHECK(audit.splits[2].in_val.count == 2);
  CHECK(name_in(audit.splits[2].in_val.first.at(0)) == "test.txt, line 1 (test)");
  const auto found = files.found();
  CHECK_THAT(found, ContainsSubstring("Lines of train that repeat an earlier one: 1 of 4 (25.0 %), "
                                      "the first train.txt, line 3 (train).\n"));
  CHECK_THAT(found, ContainsSubstring("Lines of val that stand in train as well: 2 of 3 (66.7 %)"));
  CHECK_THAT(found, ContainsSubstring("Lines of test that stand in val as well: 2 of 3"));
}

TEST_CASE("near duplicates of train are counted, equal ones are not") {
  Files files(kLong + "\nbea\n", kLong + "\n" + kLong + "!\nThe " + kLong.substr(4) + "\ndog\n");
  files.tokenizer.unknown = UnknownCharacter::kSkip;
  files.options.deduplicate = false;
  const auto audit = files.audit();
  REQUIRE(audit.splits[1].near_train);
  CHECK(audit.splits[1].near_train->count == 2);
  CHECK(name_in(audit.splits[1].near_train->first.at(0)) == "val.txt, line 2 (val)");
  CHECK(audit.splits[1].in_train.count == 1);
  CHECK_FALSE(audit.splits[0].near_train);
  CHECK(audit.near_skipped.empty());
  CHECK_THAT(files.found(), ContainsSubstring("near duplicates of one of train"));
  CHECK_THAT(Files("ab\n", "").found(), ContainsSubstring("not looked for: there is no split but"));
}

TEST_CASE("characters that train lacks are listed with their first place, not refused") {
  Files files("anna\nada\n", "dan\nqéaq\nxé\n");
  CHECK_THAT(message_of<UserError>([&] { load_text_data(files.options, files.tokenizer); }),
             ContainsSubstring("val.txt, line 2"));
  const auto audit = files.audit();
  const auto& val = audit.splits[1];
  CHECK(characters_of(val.unseen) == U"xqé");
  CHECK(val.unseen[1].count == 2);
  CHECK(name_in(val.unseen[1].first_place) == "val.txt, line 2 (val)");
  CHECK(name_in(val.unseen[0].first_place) == "val.txt, line 3 (val)");
  CHECK(val.unknown_tokens == 0);
  CHECK(audit.vocab_size == 4);
  CHECK_THAT(files.found(),
             ContainsSubstring("val has 3 characters that train does not have: \"x\" (U+0078) "
                               "once, \"q\" (U+0071) 2 times, \"é\" (U+00E9) 2 times; first in "
                               "val.txt, line 2 (val); training refuses them: set "
                               "tokenizer.unknown to skip or replace.\n"));

  files.tokenizer.unknown = UnknownCharacter::kReplace;
  CHECK(files.audit().splits[1].unknown_tokens == 5);
  CHECK_THAT(files.found(), ContainsSubstring("each becomes [UNK]."));
  CHECK_THAT(files.found(), ContainsSubstring("does not know: 5 of 13 (38.5 %)."));
  files.tokenizer.type = TokenizerType::kByteBpe;
  files.tokenizer.vocab_size = 260;
  CHECK_FALSE(files.audit().unseen);
  CHECK_THAT(files.found(), ContainsSubstring("first in val.txt, line 2 (val).\n"));
}

TEST_CASE("of sources with their own vocabulary, what targets have is unseen") {
  Files files("abxyz\tcd\n", "ac\tdc\n", "", TextFormat::kPairs);
  CHECK(files.audit().splits[1].unseen.empty());
  files.needs.source_tokenizer = TokenizerOptions{};
  const auto audit = files.audit();
  CHECK(characters_of(audit.splits[1].unseen) == U"c");
  CHECK(audit.source_vocab_size == 6);
  files.tokenizer.unknown = UnknownCharacter::kReplace;  // as token 4, which is a source's y
  files.needs.source_tokenizer->unknown = UnknownCharacter::kReplace;
  CHECK(files.audit().splits[0].unknown_tokens == 0);
  CHECK(files.audit().splits[1].unknown_tokens == 1);
}

TEST_CASE("pairs are compared by their sources, and several targets of one are told") {
  Files files("one\tbir\nuno\tbir\none\ttek\nuno\tbir\n", "one\tiki\ntwo\tiki\n", "",
              TextFormat::kPairs);
  files.tokenizer.unknown = UnknownCharacter::kReplace;
  files.options.deduplicate = false;
  const auto audit = files.audit();
  const auto& train = audit.splits[0];
  CHECK(train.repeated.count == 1);
  CHECK(train.ambiguous.count == 1);
  CHECK(name_in(train.ambiguous.first.at(0)) == "train.txt, line 3 (train)");
  CHECK(train.characters == 24);
  REQUIRE(train.target_lengths);
  CHECK(train.target_lengths->longest == 3);
  CHECK(train.token_lengths->longest == 8);
  CHECK(audit.splits[1].in_train.count == 1);
  CHECK(audit.classes.empty());
  CHECK_THAT(files.found(), ContainsSubstring("Pairs of train whose source came before with "
                                              "another target: 1 of 4"));
  CHECK_THAT(files.found(), ContainsSubstring("Pairs of val whose source stands in train as well"));
}

TEST_CASE("labelled lines are counted by class, and texts with two labels are told") {
  Files files("F\tanna\nM\totto\nF\tida\nF\totto\n", "F\tnina\nF\tdana\n", "",
              TextFormat::kLabelled);
  files.tokenizer.boundary = "[CLS]";
  files.needs = {.marks = true, .classes = true};
  const auto audit = files.audit();
  CHECK(audit.classes == std::vector<std::string>{"F", "M"});
  CHECK(audit.splits[0].class_counts == std::vector<std::int64_t>{3, 1});
  CHECK(audit.splits[1].class_counts == std::vector<std::int64_t>{2, 0});
  CHECK(audit.splits[0].ambiguous.count == 1);
  CHECK(audit.splits[0].characters == 15);
  CHECK_FALSE(audit.splits[0].target_lengths);
  CHECK_THAT(files.found(), ContainsSubstring("val has no example of 1 of 2 classes, the first of "
                                              "them M."));
  CHECK_THAT(files.found(),
             ContainsSubstring("The largest class of train is F: always to answer it is right in "
                               "75.0 % of train, 100.0 % of val. The smallest is M, 25.0 %"));
  CHECK_THAT(files.found(),
             ContainsSubstring("Texts of train that came before with another label"));
}

TEST_CASE("running text is audited by its lines") {
  Files files("abc\n\ncab bac\nab", "c\nxa\n", "", TextFormat::kText);
  const auto audit = files.audit();
  const auto& train = audit.splits[0];
  CHECK(train.examples == 4);
  CHECK(train.characters == 15);
  CHECK(train.character_lengths.shortest == 0);
  CHECK(train.character_lengths.longest == 7);
  CHECK(name_in(train.character_lengths.longest_place) == "train.txt, line 3 (train)");
  CHECK_FALSE(train.token_lengths);
  CHECK(train.repeated.count == 0);
  CHECK(audit.splits[1].examples == 2);
  CHECK(name_in(audit.splits[1].unseen.at(0).first_place) == "val.txt, line 2 (val)");
  CHECK(characters_of(audit.splits[1].unseen) == U"x");
}

TEST_CASE("a line of running text keeps its number where one file is cut") {
  const TemporaryFolder folder;
  DataOptions options;
  options.format = TextFormat::kText;
  options.path = (folder / "all.txt").string();
  options.val_fraction = 0.4;
  replace_file(options.path, "aaa\nbb\ncc\nbbbb\naaaa\n");
  const auto audit = audit_text(options, {});
  CHECK(audit.splits[0].examples == 4);  // aaa, bb, cc, bb
  CHECK(audit.splits[1].examples == 2);  // bb, aaaa
  CHECK(name_in(audit.splits[1].character_lengths.longest_place) == "all.txt, line 5 (val)");
}

TEST_CASE("lines longer than a part of the file are measured as a whole") {
  std::string text;
  for (int i = 0; i < 400'000; ++i) text += "abcd ";
  const auto audit = Files("x\n" + text + "\nabcd\n", "a\n", "", TextFormat::kText).audit();
  CHECK(audit.splits[0].examples == 3);
  CHECK(audit.splits[0].character_lengths.longest == 2'000'000);
  CHECK(name_in(audit.splits[0].character_lengths.longest_place) == "train.txt, line 2 (train)");
}

TEST_CASE("synthetic examples are audited without looking for near ones") {
  DataOptions options;
  options.format = TextFormat::kPairs;
  options.synthetic = SyntheticTask::kSort;
  options.examples = 100;
  const auto audit = audit_text(options, {});
  CHECK_FALSE(audit.near_skipped.empty());
  CHECK_FALSE(audit.splits[1].near_train);
  CHECK(audit.splits[0].examples + audit.splits[1].examples == 100);
  CHECK_THAT(audit.splits[0].character_lengths.longest_place, ContainsSubstring("synthetic"));
}

TEST_CASE("what is wrong with the data besides characters is refused as ever") {
  Files files("a\tb\nc\n", "a\tb\n", "", TextFormat::kPairs);
  CHECK_THAT(message_of<UserError>([&] { files.audit(); }), ContainsSubstring("train.txt, line 2"));
  Files lines("ab\n", "a$b\n");
  CHECK_THAT(message_of<UserError>([&] { lines.audit(); }), ContainsSubstring("val.txt, line 1"));
}

}  // namespace zoo
