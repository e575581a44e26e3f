// What trained models answer: hidden tokens, classes, vectors, attention, targets.
#include "inference/answers.h"

#include <cmath>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "inference/attention_maps.h"
#include "inference/classification.h"
#include "inference/filling.h"
#include "inference/text_vectors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_training.h"

namespace zoo {
namespace {

/// An experiment that learned for a few steps.
class Trained {
 public:
  Trained(const char* architecture, const char* task, const std::vector<std::string>& settings = {})
      : experiment_(make_tiny_experiment(
            tiny_config(folder_.path(), find_architecture(architecture), settings, task))) {
    train_tiny(folder_ / "run", experiment_, 12);
  }
  TrainedModel model() const { return trained_model(experiment_); }
  const Experiment& experiment() const { return experiment_; }
  const DataFacts& facts() const { return experiment_.facts; }

 private:
  TemporaryFolder folder_;
  Experiment experiment_;
};

TEST_CASE("a hidden letter is found with the probabilities that forward gives, marks left out") {
  const Trained bert("bert", "masked_language_model");
  const torch::NoGradGuard no_grad;
  const auto filling = fill(bert.model(), {"em[MASK]a"}, 4)[0];
  REQUIRE(filling.places.size() == 1);
  REQUIRE(filling.places[0].size() == 4);
  const auto& tokenizer = bert.model().vocabulary.target();
  auto ids = tokenizer.encode("em[MASK]a");
  ids.insert(ids.begin(), bert.facts().boundary_id);
  ids.push_back(bert.facts().separator_id);
  Inputs inputs;
  inputs.tokens = torch::tensor(ids, torch::kInt64).unsqueeze(0);
  bert.experiment().model->eval();
  auto scores = bert.experiment().model->forward(inputs).index({0, 3}).to(torch::kFloat64);  // [V]
  for (const auto id : {bert.facts().boundary_id, bert.facts().separator_id, bert.facts().mask_id,
                        bert.facts().pad_id}) {
    scores[id] = -1e30;
  }
  const auto probabilities = scores.softmax(0);
  const auto best = probabilities.argmax().item<std::int64_t>();
  CHECK(filling.places[0][0].token == tokenizer.token(best));
  CHECK(std::abs(filling.places[0][0].probability - probabilities[best].item<double>()) < 1e-9);
  CHECK(filling.text == "em" + filling.places[0][0].token + "a");
  CHECK(std::abs(filling.log_probability - std::log(filling.places[0][0].probability)) < 1e-9);
  CHECK(fill(bert.model(), {"[MASK]l[MASK]"}, 100)[0].places.size() == 2);
}

TEST_CASE("a text without a mask, one too long and one with unknown characters are named") {
  const Trained bert("bert", "masked_language_model");
  const auto refusal = [&](const std::string& text) {
    return message_of<UserError>([&] { fill(bert.model(), {"a[MASK]", text}, 3); });
  };
  CHECK(refusal("emma") == "text 2: has no [MASK]; write it where a token is to be found");
  CHECK_THAT(refusal("emmaemm[MASK]"),
             ContainsSubstring("has 8 tokens and the model reads at most 6"));
  CHECK_THAT(refusal("e[MASK]ß"), ContainsSubstring("the character \"ß\""));
}

TEST_CASE("classes come with probabilities that sum to one, each text as if it were alone") {
  for (const char* architecture : {"bert", "rnn", "cnn"}) {
    INFO(architecture);
    const Trained trained(architecture, "text_classification");
    const std::vector<std::string> texts = {"emma", "bo", "lucas"};
    const auto together = classify(trained.model(), texts);
    REQUIRE(together.size() == 3);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto& one = together[i];
      CHECK(std::abs(one.probabilities[0] + one.probabilities[1] - 1.0) < 1e-12);
      CHECK(one.probability() >= one.probabilities[1]);
      const auto alone = classify(trained.model(), {texts[i]})[0];
      CHECK(alone.label() == one.label());
      CHECK(std::abs(alone.probability() - one.probability()) < 1e-6);
    }
  }
}

TEST_CASE("answers to a split are those of its examples in order, and agree with evaluation") {
  const Trained trained("bert", "text_classification");
  const auto& experiment = trained.experiment();
  const auto answers = answer_split(experiment, "val", -1, {});
  CHECK(static_cast<std::int64_t>(answers.size()) == experiment.text.val.size());
  std::size_t right = 0;
  for (const auto& answer : answers) {
    CHECK(answer.wanted == (answer.source.ends_with('a') ? "A" : "other"));
    right += answer.given.text == answer.wanted ? 1 : 0;
  }
  const auto batches = experiment.all_batches("val");
  const auto evaluation = evaluate(*experiment.model, *experiment.task, *batches, "val");
  CHECK(std::abs(evaluation.figures.at("accuracy") -
                 static_cast<double>(right) / static_cast<double>(answers.size())) < 1e-9);
  CHECK(answer_split(experiment, "val", 2, {}).size() == 2);
}

TEST_CASE("hidden letters of a split are shown, filled and compared with what stood there") {
  const Trained trained("bert", "masked_language_model");
  const auto answers = answer_split(trained.experiment(), "val", -1, {});
  CHECK(static_cast<std::int64_t>(answers.size()) == trained.experiment().text.val.size());
  bool masked = false;
  for (const auto& answer : answers) {
    masked = masked || answer.source.find("[MASK]") != std::string::npos;
    CHECK(answer.wanted.find('[') == std::string::npos);
    CHECK(answer.given.log_probability <= 0.0);
  }
  CHECK(masked);
}

TEST_CASE("an encoder-decoder's greedy targets agree with exact match of evaluation") {
  for (const char* architecture : {"encoder_decoder", "rnn_attention", "gpt"}) {
    INFO(architecture);
    const Trained trained(architecture, "sequence_to_sequence", {"training.max_steps=12"});
    const auto& experiment = trained.experiment();
    TranslationOptions options;
    options.generation.sampling.greedy = true;
    const auto answers = answer_split(experiment, "val", -1, options);
    const auto scores = score(answers);
    CHECK(scores.pairs == experiment.text.val.size());
    const auto batches = experiment.all_batches("val");
    const auto evaluation = evaluate(*experiment.model, *experiment.task, *batches, "val");
    CHECK(std::abs(evaluation.figures.at("exact_match") - scores.exact_match) < 1e-9);
  }
}

TEST_CASE("several sources are translated as each alone, by greedy decoding and by beams") {
  for (const char* architecture : {"encoder_decoder", "rnn_attention", "gpt"}) {
    INFO(architecture);
    const Trained trained(architecture, "sequence_to_sequence");
    const std::vector<std::string> sources = {"emma", "bo", "lucas", "a"};
    for (const std::int64_t beams : {1, 3}) {
      TranslationOptions options;
      options.generation.sampling.greedy = true;
      options.generation.max_new_tokens = 6;
      options.beams.beams = beams;
      const auto together = translate(trained.model(), sources, options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        REQUIRE(together[i].size() == static_cast<std::size_t>(beams));
        const auto alone = translate(trained.model(), {sources[i]}, options)[0];
        CHECK(alone[0].text == together[i][0].text);
        CHECK(std::abs(alone[0].log_probability - together[i][0].log_probability) < 1e-4);
      }
    }
  }
}

TEST_CASE("sources with a vocabulary of their own are read with it") {
  const Trained trained("encoder_decoder", "sequence_to_sequence",
                        {"source_tokenizer.type=byte_bpe", "source_tokenizer.vocab_size=270"});
  CHECK(trained.facts().source_vocab_size > 256);
  CHECK(trained.facts().vocab_size < 256);
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  const auto written = translate(trained.model(), {"emma Ω"}, options);
  CHECK(written.size() == 1);
}

TEST_CASE("a text's vector is the mean, the first or the last of its tokens, padding aside") {
  for (const char* architecture : {"bert", "gpt", "rnn", "cnn"}) {
    INFO(architecture);
    const Trained trained(architecture, "");
    const torch::NoGradGuard no_grad;
    const auto model = trained.model();
    for (const auto pooling : {Pooling::kMean, Pooling::kFirst, Pooling::kLast}) {
      const auto together = text_vectors(model, {"emma", "bo", "lucas"}, pooling);
      const auto alone = text_vectors(model, {"bo"}, pooling);
      CHECK(largest_difference(together.narrow(0, 1, 1), alone) < 1e-5);
    }
    const auto inputs = inputs_of(model, {"bo"}, "text");
    model.model.eval();
    const auto x = dynamic_cast<Representation&>(model.model).represent(inputs)[0];
    CHECK(largest_difference(text_vectors(model, {"bo"}, Pooling::kMean)[0], x.mean(0)) < 1e-5);
    CHECK(largest_difference(text_vectors(model, {"bo"}, Pooling::kLast)[0], x[-1]) < 1e-6);
  }
  const Trained mlp("mlp", "");
  CHECK_THAT(
      message_of<UserError>([&] { text_vectors(mlp.model(), {"a"}, Pooling::kMean); }),
      ContainsSubstring("architecture mlp has no vectors for texts; those that do: rnn, cnn, "
                        "gpt, bert"));
}

TEST_CASE("the nearest lines are those of the largest cosine, best first") {
  const auto lines = torch::tensor({{1.0F, 0.0F}, {1.0F, 1.0F}, {0.0F, -2.0F}});
  const auto nearest = nearest_texts(torch::tensor({{3.0F, 0.1F}}), lines, 2)[0];
  REQUIRE(nearest.size() == 2);
  CHECK(nearest[0].number == 0);
  CHECK(nearest[1].number == 1);
  CHECK(std::abs(nearest[1].cosine - 3.1 / std::sqrt(2.0 * 9.01)) < 1e-6);
  CHECK(nearest_texts(torch::tensor({{3.0F, 0.1F}}), lines, 9)[0].size() == 3);
}

TEST_CASE("attention maps name layers, tokens and weights of texts and translations") {
  const Trained bert("bert", "masked_language_model");
  const auto maps = attention_maps(bert.model(), "emma", "");
  REQUIRE(maps.size() == 2);
  CHECK(maps[1].layer == "layer 2");
  CHECK(maps[0].keys.size() == 6);
  CHECK(maps[0].keys[1] == "e");
  CHECK(maps[0].weights.sizes().vec() == std::vector<std::int64_t>{2, 6, 6});

  const Trained translator("encoder_decoder", "sequence_to_sequence");
  const auto pair = attention_maps(translator.model(), "emma", "am");
  REQUIRE(pair.size() == 6);
  CHECK(pair[0].layer == "encoder layer 1");
  CHECK(pair[0].queries == std::vector<std::string>{"e", "m", "m", "a", "$"});
  CHECK(pair[3].layer == "decoder layer 1, cross-attention");
  CHECK(pair[3].queries == std::vector<std::string>{"[SEP]", "a", "m"});
  CHECK(pair[3].keys == pair[0].keys);

  const Trained recurrent("rnn_attention", "sequence_to_sequence");
  CHECK(attention_maps(recurrent.model(), "emma", "am").size() == 1);
  const Trained gpt("gpt", "sequence_to_sequence");
  CHECK(attention_maps(gpt.model(), "emma", "am")[0].queries.size() == 8);
  const Trained rnn("rnn", "");
  CHECK_THAT(message_of<UserError>([&] { attention_maps(rnn.model(), "emma", ""); }),
             ContainsSubstring("architecture rnn has no attention; those that do: gpt, bert, "
                               "rnn_attention, encoder_decoder"));
}

TEST_CASE("scores count what is right as a whole and ended by itself") {
  const std::vector<Answer> answers = {{"a", "x y z w", {"x y z w", -1.0, true}},
                                       {"b", "x", {"y", -1.0, true}},
                                       {"c", "x", {"x", -1.0, false}},
                                       {"d", "", {"", -1.0, true}}};
  const auto scores = score(answers);
  CHECK(scores.pairs == 4);
  CHECK(scores.exact_match == 0.5);
  CHECK(scores.bleu > 0.0);
  CHECK(scores.chrf > 0.0);
  CHECK(score({}).pairs == 0);
}

}  // namespace
}  // namespace zoo
