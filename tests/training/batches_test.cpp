#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "training/text_batches.h"

namespace zoo {
namespace {

/// "$ab$cde$f$" with $ = 0, a = 1 ...
TextSplit three_lines() {
  TextSplit split;
  split.name = "train";
  split.tokens = {0, 1, 2, 0, 3, 4, 5, 0, 6, 0};
  split.starts = {0, 3, 7, 9};
  return split;
}

TextSplit running_text(std::int64_t tokens) {
  TextSplit split;
  split.name = "train";
  std::vector<std::int32_t> ids(static_cast<std::size_t>(tokens));
  std::iota(ids.begin(), ids.end(), 0);
  split.tokens = TokenStream(std::move(ids));
  split.starts = {0, tokens - 1};
  return split;
}

RowOptions options_of(TextView view, std::int64_t width) {
  RowOptions options;
  options.view = view;
  options.width = width;
  return options;
}

TEST_CASE("lines are padded rows with a target at each position") {
  OrderedBatches batches(TextRows(three_lines(), options_of(TextView::kLines, 8), torch::kCPU), 3);
  REQUIRE(batches.size() == 1);
  const auto batch = batches.at(0);
  const auto tokens = torch::tensor({0, 6, 0, 0, 0, 1, 2, 0, 0, 3, 4, 5}).view({3, 4});
  const auto targets = torch::tensor({6, 0, -100, -100, 1, 2, 0, -100, 3, 4, 5, 0}).view({3, 4});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.targets, targets) == 0.0);
  CHECK(largest_difference(batch.inputs.lengths, torch::tensor({2, 3, 4})) == 0.0);
  CHECK(!batch.inputs.left_padded);
}

TEST_CASE("prefixes of a pair end in its target") {
  TextSplit split;
  split.name = "train";
  split.tokens = {0, 5, 6, 1, 7, 8, 0};  // $56[SEP]78$
  split.starts = {0, 6};
  split.separators = {3};
  auto options = options_of(TextView::kPrefixes, 6);
  options.layout = RowLayout::kTargets;
  OrderedBatches batches(TextRows(split, options, torch::kCPU), 8);
  const auto batch = batches.at(0);
  const auto tokens =
      torch::tensor({0, 0, 0, 5, 6, 1, 0, 0, 5, 6, 1, 7, 0, 5, 6, 1, 7, 8}).view({3, 6});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.targets, torch::tensor({7, 8, 0})) == 0.0);

  options.width = 5;
  CHECK_THROWS_AS(TextRows(split, options, torch::kCPU), UserError);
  options.long_lines = LongLines::kCut;
  CHECK(TextRows(split, options, torch::kCPU).size() == 3);
}

TEST_CASE("prefixes of $sada$ are those of the definition, padded on the left or cropped") {
  TextSplit split;
  split.name = "train";
  split.tokens = {0, 19, 1, 4, 1, 0};
  split.starts = {0, 5};
  OrderedBatches batches(TextRows(split, options_of(TextView::kPrefixes, 3), torch::kCPU), 8);
  const auto batch = batches.at(0);
  const auto tokens = torch::tensor({0, 0, 0, 0, 0, 19, 0, 19, 1, 19, 1, 4, 1, 4, 1}).view({5, 3});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.targets, torch::tensor({19, 1, 4, 1, 0})) == 0.0);
  CHECK(largest_difference(batch.inputs.lengths, torch::tensor({1, 2, 3, 3, 3})) == 0.0);
  CHECK(batch.inputs.left_padded);
}

TEST_CASE("windows cover running text once, the last one shorter") {
  OrderedBatches batches(TextRows(running_text(10), options_of(TextView::kWindows, 4), torch::kCPU),
                         8);
  const auto batch = batches.at(0);
  std::multiset<std::int64_t> predicted;
  const auto flat = batch.targets.flatten().contiguous();
  for (std::int64_t i = 0; i < flat.numel(); ++i) {
    if (flat[i].item<std::int64_t>() != kIgnored) predicted.insert(flat[i].item<std::int64_t>());
  }
  CHECK(predicted == std::multiset<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9});
}

TEST_CASE("an epoch holds every row once, in an order of its own, and batches are always full") {
  ShuffledBatches batches(TextRows(three_lines(), options_of(TextView::kLines, 8), torch::kCPU), 2,
                          7);
  std::vector<std::int64_t> lengths;
  for (std::int64_t number = 0; number < 30; ++number) {
    const auto batch = batches.at(number);
    REQUIRE(batch.inputs.tokens.size(0) == 2);
    for (int row = 0; row < 2; ++row) {
      lengths.push_back(batch.targets[row].ne(kIgnored).sum().item<std::int64_t>());
    }
  }
  std::set<std::vector<std::int64_t>> orders;
  for (std::size_t epoch = 0; epoch < 20; ++epoch) {
    std::vector<std::int64_t> order(lengths.begin() + static_cast<std::ptrdiff_t>(3 * epoch),
                                    lengths.begin() + static_cast<std::ptrdiff_t>(3 * epoch + 3));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    CHECK(order == std::vector<std::int64_t>{2, 3, 4});
  }
  CHECK(orders.size() > 1);
}

TEST_CASE("a batch is a function of the seed and its number alone") {
  const auto make = [](std::int64_t seed) {
    return ShuffledBatches(
        TextRows(running_text(1000), options_of(TextView::kWindows, 8), torch::kCPU), 4, seed);
  };
  auto one = make(1);
  auto two = make(1);
  auto other = make(2);
  for (int number = 0; number < 60; ++number) one.at(number);
  for (const int number : {47, 3, 59}) {
    CHECK(largest_difference(one.at(number).inputs.tokens, two.at(number).inputs.tokens) == 0.0);
    CHECK(largest_difference(one.at(number).inputs.tokens, other.at(number).inputs.tokens) > 0.0);
  }
}

TEST_CASE("windows of an epoch do not overlap and fall elsewhere in the next one") {
  ShuffledBatches batches(
      TextRows(running_text(101), options_of(TextView::kWindows, 10), torch::kCPU), 9, 3);
  std::set<std::int64_t> shifts;
  for (std::int64_t epoch = 0; epoch < 12; ++epoch) {
    const auto starts = std::get<0>(batches.at(epoch).inputs.tokens.select(1, 0).sort());
    CHECK(largest_difference(starts.diff(), torch::full({8}, 10)) == 0.0);
    shifts.insert(starts[0].item<std::int64_t>() % 10);
  }
  CHECK(shifts.size() > 3);
}

TEST_CASE("a line longer than the block is refused with what would do, skipped or cut") {
  auto options = options_of(TextView::kLines, 3);
  CHECK_THROWS_WITH(TextRows(three_lines(), options, torch::kCPU),
                    ContainsSubstring("set model.block_size to 4"));
  options.long_lines = LongLines::kSkip;
  CHECK(TextRows(three_lines(), options, torch::kCPU).size() == 2);
  options.long_lines = LongLines::kCut;
  OrderedBatches cut(TextRows(three_lines(), options, torch::kCPU), 3);
  CHECK(cut.at(0).inputs.tokens.sizes().vec() == std::vector<std::int64_t>{3, 3});
}

TEST_CASE("text shorter than one block is refused") {
  CHECK_THROWS_WITH(
      ShuffledBatches(TextRows(running_text(10), options_of(TextView::kWindows, 64), torch::kCPU),
                      4, 1),
      ContainsSubstring("fewer than one block of 64"));
}

/// "$ab|c$abcd|ef$" with $ = 0, | = 1, a = 2 ...
TextSplit two_pairs() {
  TextSplit split;
  split.name = "val";
  split.tokens = {0, 2, 3, 1, 4, 0, 2, 3, 4, 5, 1, 6, 7, 0};
  split.starts = {0, 5, 13};
  split.separators = {3, 10};
  return split;
}

TEST_CASE("of a pair only what follows the separator is predicted") {
  auto options = options_of(TextView::kLines, 16);
  options.layout = RowLayout::kTargets;
  OrderedBatches batches(TextRows(two_pairs(), options, torch::kCPU), 2);
  const auto batch = batches.at(0);
  const auto tokens = torch::tensor({0, 2, 3, 1, 4, 0, 0, 0, 0, 2, 3, 4, 5, 1, 6, 7}).view({2, 8});
  const auto targets = torch::tensor({-100, -100, -100, 4, 0, -100, -100, -100, -100, -100, -100,
                                      -100, -100, 6, 7, 0})
                           .view({2, 8});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.targets, targets) == 0.0);
  OrderedBatches all(TextRows(two_pairs(), options_of(TextView::kLines, 16), torch::kCPU), 2);
  CHECK(all.at(0).targets.ne(kIgnored).sum().item<std::int64_t>() == 13);
}

TEST_CASE("a pair longer than the block is refused, skipped, or loses the end of its source") {
  auto options = options_of(TextView::kLines, 6);
  options.layout = RowLayout::kTargets;
  CHECK_THROWS_WITH(TextRows(two_pairs(), options, torch::kCPU),
                    ContainsSubstring("line 2 (val) needs 8 positions (source 4, target 2) and "
                                      "model.block_size is 6; set model.block_size to 8 or "
                                      "data.long_lines to skip or cut"));
  options.long_lines = LongLines::kSkip;
  CHECK(TextRows(two_pairs(), options, torch::kCPU).size() == 1);
  options.long_lines = LongLines::kCut;
  OrderedBatches batches(TextRows(two_pairs(), options, torch::kCPU), 2);
  const auto batch = batches.at(0);
  const auto tokens = torch::tensor({0, 2, 3, 1, 4, 0, 0, 2, 3, 1, 6, 7}).view({2, 6});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(batch.targets[1].ne(kIgnored).sum().item<std::int64_t>() == 3);
  options.width = 4;
  CHECK_THROWS_WITH(TextRows(two_pairs(), options, torch::kCPU),
                    ContainsSubstring("its target alone is too long; set model.block_size to 5"));
}

TEST_CASE("a source, its end marked, and its target have rows of their own, padded by themselves") {
  auto options = options_of(TextView::kLines, 5);
  options.layout = RowLayout::kSourceAndTarget;
  options.pad_id = 8;
  options.source_pad_id = 9;
  OrderedBatches batches(TextRows(two_pairs(), options, torch::kCPU), 2);
  const auto batch = batches.at(0);
  const auto source = torch::tensor({2, 3, 9, 9, 9, 2, 3, 4, 5, 9}).view({2, 5});
  const auto tokens = torch::tensor({1, 4, 8, 1, 6, 7}).view({2, 3});
  const auto targets = torch::tensor({4, 0, -100, 6, 7, 0}).view({2, 3});
  CHECK(largest_difference(batch.inputs.source, source) == 0.0);
  CHECK(largest_difference(batch.inputs.source_lengths, torch::tensor({3, 5})) == 0.0);
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.inputs.lengths, torch::tensor({2, 3})) == 0.0);
  CHECK(largest_difference(batch.targets, targets) == 0.0);
}

TEST_CASE("the block of a source and its target is that of the longer side") {
  auto options = options_of(TextView::kLines, 4);
  options.layout = RowLayout::kSourceAndTarget;
  CHECK_THROWS_WITH(TextRows(two_pairs(), options, torch::kCPU),
                    ContainsSubstring("line 2 (val) needs 5 positions (source 4, target 2)"));
  options.long_lines = LongLines::kCut;
  OrderedBatches batches(TextRows(two_pairs(), options, torch::kCPU), 2);
  const auto source = torch::tensor({2, 3, 0, 0, 2, 3, 4, 0}).view({2, 4});
  CHECK(largest_difference(batches.at(0).inputs.source, source) == 0.0);
  options.width = 2;
  CHECK_THROWS_WITH(TextRows(two_pairs(), options, torch::kCPU),
                    ContainsSubstring("its target alone is too long; set model.block_size to 3"));
}

TEST_CASE("closed rows end with the separator and have the example's class") {
  auto options = options_of(TextView::kLines, 5);
  options.layout = RowLayout::kClosed;
  options.separator_id = 7;
  options.pad_id = 8;
  auto split = three_lines();
  split.labels = {2, 0, 1};  // of ab, cde, f; the shortest row comes first
  OrderedBatches batches(TextRows(split, options, torch::kCPU), 3);
  const auto batch = batches.at(0);
  const auto tokens = torch::tensor({0, 6, 7, 8, 8, 0, 1, 2, 7, 8, 0, 3, 4, 5, 7}).view({3, 5});
  CHECK(largest_difference(batch.inputs.tokens, tokens) == 0.0);
  CHECK(largest_difference(batch.inputs.lengths, torch::tensor({3, 4, 5})) == 0.0);
  CHECK(largest_difference(batch.targets, torch::tensor({1, 2, 0})) == 0.0);
  options.width = 4;
  CHECK_THROWS_WITH(TextRows(split, options, torch::kCPU), ContainsSubstring("needs 5 positions"));
}

TEST_CASE("a closed pair has two segments, the separator belonging to the first") {
  auto options = options_of(TextView::kLines, 9);
  options.layout = RowLayout::kClosed;
  options.separator_id = 1;
  OrderedBatches batches(TextRows(two_pairs(), options, torch::kCPU), 2);
  const auto inputs = batches.at(0).inputs;
  const auto tokens =
      torch::tensor({0, 2, 3, 1, 4, 1, 0, 0, 0, 0, 2, 3, 4, 5, 1, 6, 7, 1}).view({2, 9});
  CHECK(largest_difference(inputs.tokens, tokens) == 0.0);
  const auto second = torch::tensor({0, 0, 0, 0, 0, 0, 1, 1, 1}).view({1, 9});
  CHECK(largest_difference(inputs.segments.narrow(0, 1, 1), second) == 0.0);
}

/// Lines of 1 to 24 tokens, many of each length.
TextSplit lines_of_all_lengths(std::int64_t lines) {
  TextSplit split;
  split.name = "train";
  std::vector<std::int32_t> tokens = {0};
  for (std::int64_t i = 0; i < lines; ++i) {
    split.starts.push_back(static_cast<std::int64_t>(tokens.size()) - 1);
    for (std::int64_t k = 0; k < i % 24; ++k) tokens.push_back(static_cast<std::int32_t>(1 + i));
    tokens.push_back(0);
  }
  split.starts.push_back(static_cast<std::int64_t>(tokens.size()) - 1);
  split.tokens = TokenStream(std::move(tokens));
  return split;
}

TEST_CASE("rows of similar length share a batch: every row once an epoch, little padding") {
  const auto split = lines_of_all_lengths(1000);
  const auto make = [&](std::int64_t pool) {
    return ShuffledBatches(TextRows(split, options_of(TextView::kLines, 32), torch::kCPU), 16, 5,
                           {pool, 16});
  };
  const auto padding = [](ShuffledBatches batches) {
    std::int64_t count = 0;
    for (std::int64_t number = 0; number < 125; ++number) {
      count += batches.at(number).targets.eq(kIgnored).sum().item<std::int64_t>();
    }
    return count;
  };
  CHECK(padding(make(16)) * 5 < padding(make(1)));

  auto batches = make(16);
  std::multiset<std::int64_t> seen;
  std::set<std::int64_t> widths;
  for (std::int64_t number = 0; number < 125; ++number) {  // two epochs
    const auto tokens = batches.at(number).inputs.tokens;
    widths.insert(tokens.size(1));
    for (std::int64_t row = 0; row < 16; ++row) {
      if (tokens.size(1) > 1) seen.insert(tokens[row][1].item<std::int64_t>());
    }
  }
  for (std::int64_t i = 0; i < 1000; ++i) {
    if (i % 24 > 1) CHECK(seen.count(1 + i) == 2);
  }
  CHECK(widths.size() > 10);
  auto again = make(16);
  CHECK(largest_difference(again.at(77).inputs.tokens, batches.at(77).inputs.tokens) == 0.0);
}

TEST_CASE("token ids of one and two bytes are gathered as they are") {
  const std::vector<std::uint8_t> narrow = {0, 200, 255, 3};
  const std::vector<std::uint16_t> wide = {0, 40'000, 65'535, 3};
  TextSplit split;
  split.name = "train";
  split.starts = {0, 3};
  split.tokens = TokenStream(nullptr, narrow.data(), 4, 1);
  OrderedBatches bytes(TextRows(split, options_of(TextView::kWindows, 3), torch::kCPU), 1);
  CHECK(largest_difference(bytes.at(0).targets, torch::tensor({{200, 255, 3}})) == 0.0);
  split.tokens = TokenStream(nullptr, wide.data(), 4, 2);
  OrderedBatches words(TextRows(split, options_of(TextView::kWindows, 3), torch::kCPU), 1);
  CHECK(largest_difference(words.at(0).targets, torch::tensor({{40'000, 65'535, 3}})) == 0.0);
}

}  // namespace
}  // namespace zoo
