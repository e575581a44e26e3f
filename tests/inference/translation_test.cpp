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

GenerationOptions greedy() {
  GenerationOptions options;
  options.sampling.greedy = true;
  return options;
}

TEST_CASE("sources of all lengths are translated in their order, without padding") {
  Copier model;
  const auto tokenizer = letters();
  const std::vector<std::string> sources = {"abc", "f", "abcdef", "fab", "", "e"};
  const auto translations = translate({model, *tokenizer, 0, false}, sources, greedy());
  REQUIRE(translations.size() == sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CHECK(translations[i].text == sources[i]);
    CHECK(translations[i].finished);
    CHECK(translations[i].log_probability < 0.0);
  }
  CHECK(!model.padded);
}

TEST_CASE("source and target together stay within the block") {
  Copier model;
  const auto tokenizer = letters();
  const auto translations = translate({model, *tokenizer, 6, false}, {"abc"}, greedy());
  CHECK(translations[0].text == "ab");  // $abc[SEP] leaves room to read one token and write two
  CHECK(!translations[0].finished);
  CHECK(model.widest == 6);
}

TEST_CASE("a source without room for a target is named, with its length, limit and cure, or cut") {
  Copier model;
  const auto tokenizer = letters();
  CHECK(message_of<UserError>(
            [&] { translate({model, *tokenizer, 6, false}, {"ab", "abcdef"}, greedy()); }) ==
        "source 2: has 6 tokens and the model reads at most 4 of a source; shorten it, or let "
        "--cut take its end off");
  CHECK(translate({model, *tokenizer, 7, true}, {"abcdef"}, greedy())[0].text == "a");
  CHECK_THAT(message_of<UserError>(
                 [&] { translate({model, *tokenizer, 0, false}, {"ab", "axb"}, greedy()); }),
             ContainsSubstring("source 2: the character \"x\""));
}

TEST_CASE("scores count what is right as a whole and ended by itself") {
  const std::vector<TranslatedPair> pairs = {{"a", "x y z w", {"x y z w", -1.0, true}},
                                             {"b", "x", {"y", -1.0, true}},
                                             {"c", "x", {"x", -1.0, false}},
                                             {"d", "", {"", -1.0, true}}};
  const auto scores = score(pairs);
  CHECK(scores.pairs == 4);
  CHECK(scores.exact_match == 0.5);
  CHECK(scores.bleu > 0.0);
  CHECK(scores.chrf > 0.0);
  CHECK(score({}).pairs == 0);
}

}  // namespace
}  // namespace zoo
