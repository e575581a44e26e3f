#include "inference/beam_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/generation.h"
#include "models/encoder_decoder.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

constexpr std::int64_t kStop = 0;
constexpr std::int64_t kStart = 1;
constexpr std::int64_t kVocabulary = 4;
constexpr std::int64_t kLongest = 5;

/// A random encoder-decoder and a few sources.
class Translator {
 public:
  explicit Translator(std::uint64_t seed = 1) {
    torch::manual_seed(seed);
    EncoderDecoderOptions options;
    options.block_size = kLongest;
    options.d_model = 16;
    options.n_heads = 2;
    options.n_layers = 1;
    options.dropout = 0.0;
    DataFacts facts;
    facts.vocab_size = kVocabulary;
    model_ = std::make_shared<EncoderDecoderImpl>(options, facts);
    // Untrained answers are nearly even; these differ enough to be told apart.
    for (auto& parameter : model_->parameters()) {
      const torch::NoGradGuard no_grad;
      parameter.normal_(0.0, 0.6);
    }
    model_->eval();
    inputs_.source = torch::tensor({{1, 2, 3}, {3, 3, 0}, {2, 0, 0}}, torch::kInt64);
    inputs_.source_lengths = torch::tensor({3, 2, 1}, torch::kInt64);
  }

  std::vector<std::vector<Hypothesis>> search(std::int64_t beams, double length_penalty) {
    const torch::NoGradGuard no_grad;
    const auto decoding = model_->start(inputs_, FullBlock::kReread);
    return beam_search(*decoding, {kStart, kStart, kStart}, {beams, length_penalty}, kLongest,
                       kStop, torch::kCPU);
  }

  std::vector<Generation> greedy() {
    const torch::NoGradGuard no_grad;
    const auto decoding = model_->start(inputs_, FullBlock::kReread);
    GenerationOptions options;
    options.sampling.greedy = true;
    options.max_new_tokens = kLongest;
    std::vector<Generation> generations(3);
    sample_rows(*decoding, {{0, {kStart}}, {1, {kStart}}, {2, {kStart}}}, options, kStop,
                torch::kCPU, generations);
    return generations;
  }

  /// log P(ids and, if it stopped, the stop token | source of the row), by one forward of the
  /// whole.
  double log_probability(std::int64_t row, const std::vector<std::int64_t>& ids, bool stopped) {
    const torch::NoGradGuard no_grad;
    auto tokens = ids;
    if (stopped) tokens.push_back(kStop);
    auto seen = tokens;
    seen.insert(seen.begin(), kStart);
    seen.pop_back();
    Inputs inputs;
    inputs.tokens = torch::tensor(seen, torch::kInt64).unsqueeze(0);
    inputs.source = inputs_.source.narrow(0, row, 1);
    inputs.source_lengths = inputs_.source_lengths.narrow(0, row, 1);
    const auto scores = model_->forward(inputs)[0].to(torch::kFloat64).log_softmax(-1);  // [T, V]
    double sum = 0.0;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      sum += scores[static_cast<std::int64_t>(t)][tokens[t]].item<double>();
    }
    return sum;
  }

 private:
  std::shared_ptr<EncoderDecoderImpl> model_;
  Inputs inputs_;
};

/// Calls `visit` with everything that can be written: ids and whether they stop.
void for_all(std::vector<std::int64_t>& ids,
             const std::function<void(const std::vector<std::int64_t>&, bool)>& visit) {
  if (static_cast<std::int64_t>(ids.size()) == kLongest) {
    visit(ids, false);
    return;
  }
  visit(ids, true);
  for (std::int64_t id = 1; id < kVocabulary; ++id) {
    ids.push_back(id);
    for_all(ids, visit);
    ids.pop_back();
  }
}

TEST_CASE("a beam of one is greedy, whatever the length penalty") {
  for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
    Translator translator(seed);
    const auto greedy = translator.greedy();
    for (const double penalty : {0.0, 1.0, 3.0}) {
      const auto found = translator.search(1, penalty);
      for (std::size_t row = 0; row < 3; ++row) {
        REQUIRE(found[row].size() == 1);
        CHECK(found[row][0].ids == greedy[row].ids);
        CHECK(found[row][0].stopped == greedy[row].stopped);
        CHECK(std::abs(found[row][0].log_probability - greedy[row].log_probability) < 1e-5);
      }
    }
  }
}

TEST_CASE("a beam's log-probabilities are those that forward gives the texts, best first") {
  Translator translator;
  const auto found = translator.search(4, 1.0);
  for (std::size_t row = 0; row < 3; ++row) {
    REQUIRE(found[row].size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& one = found[row][i];
      CHECK(
          std::abs(one.log_probability - translator.log_probability(static_cast<std::int64_t>(row),
                                                                    one.ids, one.stopped)) < 1e-5);
      const auto tokens = static_cast<double>(one.ids.size() + (one.stopped ? 1 : 0));
      CHECK(std::abs(one.score - one.log_probability / tokens) < 1e-12);
      if (i > 0) CHECK(one.score <= found[row][i - 1].score);
    }
  }
}

TEST_CASE("a beam that is wide enough finds the exact best of all that can be written") {
  for (const double penalty : {0.0, 1.0}) {
    Translator translator(7);
    const auto found = translator.search(400, penalty);
    for (std::size_t row = 0; row < 3; ++row) {
      std::vector<std::int64_t> ids, best;
      auto best_score = -std::numeric_limits<double>::infinity();
      std::size_t count = 0;
      for_all(ids, [&](const std::vector<std::int64_t>& all, bool stopped) {
        ++count;
        const auto tokens = static_cast<double>(all.size() + (stopped ? 1 : 0));
        const auto score =
            translator.log_probability(static_cast<std::int64_t>(row), all, stopped) /
            std::pow(tokens, penalty);
        if (score <= best_score) return;
        best_score = score;
        best = all;
      });
      CHECK(count == 364);  // 1 + 3 + 9 + 27 + 81 that stop, and 243 that do not
      CHECK(found[row].size() == count);
      CHECK(found[row][0].ids == best);
      CHECK(std::abs(found[row][0].score - best_score) < 1e-5);
    }
  }
}

TEST_CASE("each row of a batch is searched as if it were alone") {
  Translator translator;
  const auto together = translator.search(3, 1.0);
  for (std::size_t row = 0; row < 3; ++row) {
    for (const auto& one : together[row]) CHECK(one.ids.size() <= kLongest);
    std::vector<std::vector<std::int64_t>> texts;
    for (const auto& one : together[row]) texts.push_back(one.ids);
    std::sort(texts.begin(), texts.end());
    CHECK(std::unique(texts.begin(), texts.end()) == texts.end());
  }
}

TEST_CASE("logits that are not finite end the search with the step") {
  class Broken : public Decoding {
   public:
    torch::Tensor step(const torch::Tensor& tokens) override {
      return torch::full({tokens.size(0), 3}, std::numeric_limits<float>::quiet_NaN());
    }
    void select_rows(const torch::Tensor&) override {}
  };
  Broken broken;
  CHECK_THAT(message_of<UserError>([&] { beam_search(broken, {1}, {2, 1.0}, 5, 0, torch::kCPU); }),
             ContainsSubstring("beam search step 1: the model's logits are not finite"));
}

}  // namespace
}  // namespace zoo
