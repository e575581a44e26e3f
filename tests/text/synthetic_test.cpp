#include "text/synthetic.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "text/number_words.h"

namespace zoo {
namespace {

DataOptions options_of(SyntheticTask task, std::int64_t examples, std::int64_t min_length,
                       std::int64_t max_length) {
  DataOptions options;
  options.synthetic = task;
  options.examples = examples;
  options.min_length = min_length;
  options.max_length = max_length;
  return options;
}

/// Source -> target, having checked that the sources are distinct and the pairs numbered.
std::map<std::string, std::string> checked_pairs(const DataOptions& options) {
  std::map<std::string, std::string> targets;
  std::int64_t number = 0;
  bool numbered = true;
  const auto pairs = make_synthetic(options);
  for (const auto& pair : pairs) {
    numbered = numbered && pair.file == -1 && pair.number == ++number;
    targets[pair.source] = pair.target;
  }
  CHECK(numbered);
  CHECK(targets.size() == pairs.size());
  return targets;
}

std::string refusal(const DataOptions& options) {
  return message_of<ConfigError>([&] { make_synthetic(options); });
}

bool same(const std::vector<TextPair>& a, const std::vector<TextPair>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.source == y.source && x.target == y.target && x.number == y.number;
  });
}

}  // namespace

TEST_CASE("copy, reverse and sort use the first symbols and every length from min to max") {
  for (const auto task : {SyntheticTask::kCopy, SyntheticTask::kReverse, SyntheticTask::kSort}) {
    auto options = options_of(task, 500, 3, 7);
    options.symbols = 12;
    std::set<std::size_t> lengths;
    std::set<char> symbols;
    for (const auto& [source, target] : checked_pairs(options)) {
      lengths.insert(source.size());
      symbols.insert(source.begin(), source.end());
      auto expected = source;
      if (task == SyntheticTask::kReverse) std::reverse(expected.begin(), expected.end());
      if (task == SyntheticTask::kSort) std::sort(expected.begin(), expected.end());
      CHECK(target == expected);
    }
    CHECK(lengths == std::set<std::size_t>{3, 4, 5, 6, 7});
    CHECK(std::string(symbols.begin(), symbols.end()) == "0123456789ab");
  }
}

TEST_CASE("a task with fewer examples than asked for gives each of them once") {
  auto options = options_of(SyntheticTask::kSort, 10'000, 6, 6);
  options.symbols = 3;
  const auto sorted = checked_pairs(options);
  CHECK(sorted.size() == 729);
  CHECK(sorted.at("211020") == "001122");

  const auto bits = checked_pairs(options_of(SyntheticTask::kParity, 10'000, 1, 5));
  CHECK(bits.size() == 2 + 4 + 8 + 16 + 32);
  CHECK(bits.at("01101") == "odd");
  CHECK(bits.at("0110") == "even");
  CHECK(bits.at("0") == "even");

  CHECK(checked_pairs(options_of(SyntheticTask::kRecall, 10'000, 1, 1)).size() == 260);
  CHECK(checked_pairs(options_of(SyntheticTask::kRecall, 200'000, 2, 2)).size() == 130'000);
}

TEST_CASE("examples are shared equally among the lengths that have enough of them") {
  std::map<std::size_t, int> counts;
  for (const auto& [source, target] :
       checked_pairs(options_of(SyntheticTask::kCopy, 10'000, 1, 6))) {
    ++counts[source.size()];
  }
  CHECK(counts ==
        std::map<std::size_t, int>{{1, 10}, {2, 100}, {3, 1000}, {4, 2963}, {5, 2963}, {6, 2964}});
}

TEST_CASE("addition adds numbers of min to max digits, and reverses the sum where asked") {
  auto options = options_of(SyntheticTask::kAddition, 20'000, 1, 2);
  auto sums = checked_pairs(options);
  CHECK(sums.size() == 10'000);
  CHECK(sums.at("57+8") == "65");
  CHECK(sums.at("0+0") == "0");
  CHECK(sums.at("99+99") == "198");

  options.min_length = 2;
  options.reverse_digits = true;
  sums = checked_pairs(options);
  CHECK(sums.size() == 90 * 90);
  CHECK(sums.begin()->first == "10+10");
  CHECK(sums.at("57+80") == "731");

  for (const auto& [source, sum] :
       checked_pairs(options_of(SyntheticTask::kAddition, 300, 18, 18))) {
    CHECK(source.size() == 37);
    CHECK(std::stoll(source.substr(0, 18)) + std::stoll(source.substr(19)) == std::stoll(sum));
  }
}

TEST_CASE("recall asks for the value of one of its distinct keys") {
  for (const auto& [source, target] :
       checked_pairs(options_of(SyntheticTask::kRecall, 1000, 1, 26))) {
    const auto mark = source.find('?');
    REQUIRE(mark + 2 == source.size());
    std::map<char, char> values;
    for (std::size_t i = 0; i < mark; i += 2) values[source[i]] = source[i + 1];
    CHECK(values.size() == mark / 2);
    CHECK(target == std::string(1, values.at(source.back())));
  }
}

TEST_CASE("number words cover the numbers of min to max digits") {
  const auto all = checked_pairs(options_of(SyntheticTask::kNumberWords, 200'000, 1, 5));
  CHECK(all.size() == 100'000);
  CHECK(all.at("forty two") == "kırk iki");
  CHECK(all.at("one thousand one hundred five") == "bin yüz beş");

  CHECK(checked_pairs(options_of(SyntheticTask::kNumberWords, 60, 1, 8)).size() == 60);
  const auto two = checked_pairs(options_of(SyntheticTask::kNumberWords, 1000, 2, 2));
  CHECK(two.size() == 90);
  CHECK(two.count("ninety nine") == 1);
  CHECK(two.count("nine") == 0);
}

TEST_CASE("dates are the days of two centuries, each in one wording of the seed's choice") {
  auto options = options_of(SyntheticTask::kDates, 100'000, 1, 8);
  std::map<std::string, std::string> dates;
  for (options.split_seed = 0; options.split_seed < 5; ++options.split_seed) {
    const auto some = checked_pairs(options);
    CHECK(some.size() == 73'049);
    std::set<std::string> days;
    for (const auto& [source, target] : some) days.insert(target);
    CHECK(days.size() == some.size());
    CHECK(*days.begin() == "1900-01-01");
    CHECK(*days.rbegin() == "2099-12-31");
    CHECK(days.count("1900-02-29") == 0);
    CHECK(days.count("2000-02-29") == 1);
    bool one_meaning = true;
    for (const auto& [source, target] : some) {
      one_meaning = one_meaning && dates.emplace(source, target).first->second == target;
    }
    CHECK(one_meaning);
  }
  CHECK(dates.size() > 2 * 73'049);
  for (const auto* wording : {"the third of march ", "march third ", "march the third "}) {
    int found = 0;
    for (std::int64_t year = 1900; year < 2100; ++year) {
      const auto date = dates.find(wording + english_year_words(year));
      if (date == dates.end()) continue;
      ++found;
      CHECK(date->second == std::to_string(year) + "-03-03");
    }
    CHECK(found > 100);
  }
}

TEST_CASE("synthetic examples are a function of the options and the split seed") {
  for (const auto& [name, task] : names_of(SyntheticTask{})) {
    INFO(name);
    auto options = options_of(task, 300, 2, 6);
    const auto first = make_synthetic(options);
    CHECK(first.size() >= 120);
    CHECK(same(first, make_synthetic(options)));
    options.split_seed = 2;
    CHECK(!same(first, make_synthetic(options)));
  }
}

TEST_CASE("synthetic examples stand in random order") {
  const auto pairs = make_synthetic(options_of(SyntheticTask::kCopy, 1000, 1, 10));
  std::size_t rises = 0;
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    rises += pairs[i].source.size() > pairs[i - 1].source.size();
  }
  CHECK(rises > 300);
}

TEST_CASE("options that a synthetic task cannot satisfy are refused by name") {
  CHECK(refusal(options_of(SyntheticTask::kCopy, 10, 9, 8)) ==
        "data.min_length: 9 is more than data.max_length 8; lower it to at most that");
  CHECK(refusal(options_of(SyntheticTask::kRecall, 10, 1, 27)) ==
        "data.max_length: 27 keys are more than the task knows; at most 26");
  CHECK_THAT(refusal(options_of(SyntheticTask::kAddition, 10, 1, 19)),
             ContainsSubstring("data.max_length: 19 digits"));
  CHECK_THAT(refusal(options_of(SyntheticTask::kNumberWords, 10, 7, 8)),
             ContainsSubstring("data.min_length: 7 digits"));
  CHECK_THAT(refusal(options_of(SyntheticTask::kCopy, 10'000'001, 1, 8)),
             ContainsSubstring("data.examples: 10000001"));
  CHECK_THAT(refusal(DataOptions{}), ContainsSubstring("data.synthetic: not set"));
}

}  // namespace zoo
