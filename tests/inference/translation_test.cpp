#include "inference/translation.h"

#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

/// $, [SEP], then a to f.
std::shared_ptr<const Tokenizer> letters() {
  return train_tokenizer({}, [](const auto& visit) { visit("abcdef"); }, {"$", "[SEP]"});
}

/// Writes the source again: the k-th token after the separator is the k-th of the source, then $.
class Copier : public Model {
 public:
  /// tokens [B, T] -> logits [B, T, 8], right at the last position
  torch::Tensor forward(const Inputs& inputs) override {
    const auto B = inputs.tokens.size(0);
    const auto T = inputs.tokens.size(1);
    padded = padded || inputs.lengths.defined();
    widest = std::max(widest, T);
    auto logits = torch::zeros({B, T, 8});
    for (std::int64_t row = 0; row < B; ++row) {
      std::int64_t separator = 0;
      while (inputs.tokens[row][separator].item<std::int64_t>() != 1) ++separator;
      const auto written = T - 1 - separator;
      const auto source = separator - 1;
      const auto next =
          written < source ? inputs.tokens[row][1 + written].item<std::int64_t>() : std::int64_t{0};
      logits[row][T - 1][next] = 9.0;
    }
    return logits;
  }
  bool padded = false;
  std::int64_t widest = 0;
};

TranslationOptions greedy(bool cut = false) {
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  options.cut = cut;
  return options;
}

/// The copier in place of a GPT that reads `block_size` tokens.
class Translator {
 public:
  explicit Translator(std::int64_t block_size) {
    config_.general.architecture = "gpt";
    config_.general.task = TaskType::kSequenceToSequence;
    config_.model = {{"block_size", block_size}};
  }
  std::vector<Translation> operator()(const std::vector<std::string>& sources, bool cut = false) {
    std::vector<Translation> best;
    for (const auto& one :
         translate({model, vocabulary_, facts_, config_, torch::kCPU}, sources, greedy(cut))) {
      best.push_back(one.front());
    }
    return best;
  }
  Copier model;

 private:
  Vocabulary vocabulary_{{letters(), nullptr}, {}};
  DataFacts facts_ = facts_of(vocabulary_);
  Config config_;
};

TEST_CASE("sources of all lengths are translated in their order, without padding") {
  Translator translator(100);
  const std::vector<std::string> sources = {"abc", "f", "abcdef", "fab", "", "e"};
  const auto translations = translator(sources);
  REQUIRE(translations.size() == sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CHECK(translations[i].text == sources[i]);
    CHECK(translations[i].finished);
    CHECK(translations[i].log_probability < 0.0);
  }
  CHECK(!translator.model.padded);
}

TEST_CASE("source and target together stay within the block") {
  Translator translator(6);
  const auto translations = translator({"abc"});
  CHECK(translations[0].text == "ab");  // $abc[SEP] leaves room to read one token and write two
  CHECK(!translations[0].finished);
  CHECK(translator.model.widest == 6);
}

TEST_CASE("a source without room for a target is named, with its length, limit and cure, or cut") {
  Translator narrow(6);
  CHECK(message_of<UserError>([&] { narrow({"ab", "abcdef"}); }) ==
        "source 2: has 6 tokens and the model reads at most 4 of a source; shorten it, or let "
        "--cut take its end off");
  CHECK(Translator(7)({"abcdef"}, /*cut=*/true)[0].text == "a");
  CHECK_THAT(message_of<UserError>([&] { Translator(100)({"ab", "axb"}); }),
             ContainsSubstring("source 2: the character \"x\""));
}

}  // namespace
}  // namespace zoo
