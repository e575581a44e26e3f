#include "training/masked_language_model_task.h"

#include <cmath>

#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/torch_checks.h"
#include "training/config.h"

namespace zoo {
namespace {

/// [CLS] 0, [SEP] 1, [MASK] 2, [PAD] 3, then 96 letters.
DataFacts letters() {
  DataFacts facts;
  facts.vocab_size = 100;
  facts.boundary_id = 0;
  facts.separator_id = 1;
  facts.mask_id = 2;
  facts.pad_id = 3;
  return facts;
}

/// Rows of 20 letters, every second with 10 and padding.
class Rows : public BatchSource {
 public:
  explicit Rows(std::int64_t rows) : rows_(rows) {}
  std::int64_t size() const override { return 2000 / rows_; }
  Batch at(std::int64_t number) override {
    Batch batch;
    auto& tokens = batch.inputs.tokens;
    tokens = torch::arange(22).remainder(18).add(4).repeat({rows_, 1});
    tokens.select(1, 0).fill_(0);
    tokens.select(1, 21).fill_(1);
    batch.inputs.lengths = torch::full({rows_}, 22, torch::kInt64);
    for (std::int64_t i = (number * rows_ + 1) % 2; i < rows_; i += 2) {
      tokens[i][11] = 1;
      tokens[i].narrow(0, 12, 10).fill_(3);
      batch.inputs.lengths[i] = 12;
    }
    return batch;
  }

 private:
  std::int64_t rows_;
};

MaskedBatches masked(std::int64_t rows, std::uint64_t seed) {
  return MaskedBatches(std::make_unique<Rows>(rows), letters(), rows, seed);
}

TEST_CASE("15 % of the tokens are hidden, by mask, any token and themselves as 80 to 10 to 10") {
  auto hidden = masked(2000, 7);
  const auto batch = hidden.at(0);
  const auto plain = Rows(2000).at(0).inputs.tokens;
  const auto chosen = batch.targets.ne(kIgnored);
  const auto of = [](const torch::Tensor& flags) { return flags.sum().item<double>(); };
  // 15 % of 20 letters are 3, of 10 they are 1.5, which rounds to 2.
  CHECK(largest_difference(chosen.sum(1).narrow(0, 0, 4), torch::tensor({3, 2, 3, 2})) == 0.0);
  CHECK(largest_difference(torch::where(chosen, batch.targets, plain), plain) == 0.0);
  const auto count = of(chosen);
  const auto& tokens = batch.inputs.tokens;
  CHECK(of(chosen.logical_not().logical_and(tokens.ne(plain))) == 0.0);
  CHECK(of(chosen.logical_and(plain.lt(4))) == 0.0);  // no mark, no padding
  const auto mask = of(chosen.logical_and(tokens.eq(2))) / count;
  const auto same = of(chosen.logical_and(tokens.eq(plain))) / count;
  const auto error = 4.0 * std::sqrt(0.8 * 0.2 / count);
  CHECK(std::abs(mask - 0.8) < error);
  CHECK(std::abs(same - 0.1) < error);
  // Each of the 10 and the 20 places of a row is as likely as another.
  const auto share = chosen.narrow(1, 1, 10).to(torch::kFloat64).mean(0);
  CHECK((share - 0.175).abs().max().item<double>() < 4.0 * std::sqrt(0.175 * 0.825 / 2000));
}

TEST_CASE("what is hidden is a function of seed and row number, whatever the batch size") {
  auto large = masked(40, 7);
  auto small = masked(10, 7);
  const auto batch = large.at(1);
  for (std::int64_t part = 0; part < 4; ++part) {
    const auto same = small.at(4 + part);
    CHECK(largest_difference(same.inputs.tokens, batch.inputs.tokens.narrow(0, 10 * part, 10)) ==
          0.0);
    CHECK(largest_difference(same.targets, batch.targets.narrow(0, 10 * part, 10)) == 0.0);
  }
  CHECK(largest_difference(large.at(0).targets, batch.targets) > 0.0);
  CHECK(largest_difference(masked(40, 8).at(1).targets, batch.targets) > 0.0);
  CHECK(largest_difference(masked(40, 7).at(1).targets, batch.targets) == 0.0);
}

TEST_CASE("a row of one token is hidden whole, a row of none not at all") {
  class Short : public BatchSource {
   public:
    std::int64_t size() const override { return 1; }
    Batch at(std::int64_t) override {
      Batch batch;
      batch.inputs.tokens = torch::tensor({{0, 9, 1}, {0, 1, 3}}, torch::kInt64);
      batch.inputs.lengths = torch::tensor({3, 2}, torch::kInt64);
      return batch;
    }
  };
  MaskedBatches batches(std::make_unique<Short>(), letters(), 2, 1);
  const auto expected = torch::tensor({{-100, 9, -100}, {-100, -100, -100}}, torch::kInt64);
  CHECK(largest_difference(batches.at(0).targets, expected) == 0.0);
}

TEST_CASE("a task that an architecture does not learn is refused with those that do") {
  RawConfig raw;
  raw.document = {
      {"architecture", "gpt"}, {"task", "masked_language_model"}, {"data", {{"path", "x.txt"}}}};
  CHECK_THAT(message_of<ConfigError>([&] { resolve_config(raw); }),
             ContainsSubstring("task: masked_language_model is not what gpt learns; it learns "
                               "language_model, sequence_to_sequence; masked_language_model is "
                               "learned by bert"));
}

}  // namespace
}  // namespace zoo
