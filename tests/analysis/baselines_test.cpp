#include "analysis/baselines.h"

#include <cmath>
#include <map>

#include <torch/types.h>

#include "analysis/neighbour_table.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"

namespace zoo {
namespace {

TEST_CASE("the baselines are what the counted architecture itself reaches on the same split") {
  const TemporaryFolder folder;
  const auto experiment =
      make_tiny_experiment(tiny_config(folder.path(), find_architecture("gpt")));
  const auto baselines = baselines_of(experiment, "val");
  REQUIRE(baselines.size() == 6);
  for (const std::int64_t order : {1, 3}) {
    const auto order_text = std::to_string(order);
    auto counted =
        make_tiny_experiment(tiny_config(folder.path(), find_architecture("ngram"),
                                         {"model.order=" + order_text, "model.alpha=0.1"}));
    const auto progress = train_tiny(folder / order_text, counted, 1);
    const auto& baseline = baselines[static_cast<std::size_t>(order - 1)];
    CHECK(baseline.name == "counted " + order_text + "-gram");
    CHECK(std::abs(*baseline.loss - progress.best_loss) < 1e-6);
  }
  CHECK(baselines.back().name == "counted 5-gram, interpolated");
  CHECK(*baselines.back().loss < *baselines[4].loss);
}

TEST_CASE("a model that reads prefixes is compared on the same predicted tokens") {
  const TemporaryFolder folder;
  const auto gpt = make_tiny_experiment(tiny_config(folder.path(), find_architecture("gpt")));
  const auto mlp = make_tiny_experiment(tiny_config(folder.path(), find_architecture("mlp")));
  CHECK(std::abs(*baselines_of(gpt, "val")[1].loss - *baselines_of(mlp, "val")[1].loss) < 1e-9);
}

TEST_CASE("hidden letters are counted alone and between neighbours, on the masks of evaluation") {
  const TemporaryFolder folder;
  const auto bert = make_tiny_experiment(tiny_config(folder.path(), find_architecture("bert")));
  const auto baselines = baselines_of(bert, "val");
  REQUIRE(baselines.size() == 2);
  CHECK(baselines[0].counts > 10);
  CHECK(baselines[1].counts > baselines[0].counts);
  CHECK(baselines[1].figures.contains("accuracy"));
  // By hand: the loss of each hidden letter by its share of the training split's letters.
  std::map<std::int64_t, double> counts;
  double all = 0.0;
  const auto& train = bert.text.train;
  for (std::int64_t i = 0; i < train.tokens.size(); ++i) {
    if (train.tokens[i] == bert.facts.boundary_id) continue;
    counts[train.tokens[i]] += 1.0;
    all += 1.0;
  }
  double loss = 0.0;
  double hidden = 0.0;
  const auto batches = bert.all_batches("val");
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    const auto targets = batches->at(number).targets.flatten().contiguous();
    for (std::int64_t i = 0; i < targets.numel(); ++i) {
      const auto target = targets[i].item<std::int64_t>();
      if (target == kIgnored) continue;
      const auto V = static_cast<double>(bert.facts.vocab_size);
      loss -= std::log((counts[target] + 0.1) / (all + 0.1 * V));
      hidden += 1.0;
    }
  }
  CHECK(std::abs(*baselines[0].loss - loss / hidden) < 1e-9);
}

TEST_CASE("classes are compared with the largest one and naive Bayes") {
  const TemporaryFolder folder;
  const auto experiment = make_tiny_experiment(
      tiny_config(folder.path(), find_architecture("bert"), {}, "text_classification"));
  const auto baselines = baselines_of(experiment, "val");
  REQUIRE(baselines.size() == 2);
  std::int64_t first = 0;
  for (const auto label : experiment.text.train.labels) first += label == 0 ? 1 : 0;
  const std::int32_t largest = 2 * first >= experiment.text.train.size() ? 0 : 1;
  std::int64_t right = 0;
  for (const auto label : experiment.text.val.labels) right += label == largest ? 1 : 0;
  CHECK(std::abs(baselines[0].figures.at("accuracy") -
                 static_cast<double>(right) / static_cast<double>(experiment.text.val.size())) <
        1e-12);
  CHECK(baselines[1].figures.at("accuracy") > baselines[0].figures.at("accuracy"));
  CHECK(!baselines[1].loss);
}

TEST_CASE("translations are compared with copies and with the nearest source's target") {
  const TemporaryFolder folder;
  const auto experiment =
      make_tiny_experiment(tiny_config(folder.path(), find_architecture("encoder_decoder")));
  const std::vector<Answer> answers = {{"lucass", "ssacul", {}}, {"qxq", "qxq", {}}};
  const auto baselines = translation_baselines(experiment, answers);
  REQUIRE(baselines.size() == 2);
  CHECK(baselines[0].answers[0].given.text == "lucass");
  CHECK(score(baselines[0].answers).exact_match == 0.5);
  const auto& nearest = baselines[1].answers[0].given.text;
  CHECK((nearest == "sacul" || nearest == "ul"));  // lucas, unless it was held out
  const auto kept = without_near_duplicates(index_training_sources(experiment), answers);
  CHECK(!kept.empty());
  CHECK(kept.back().source == "qxq");
}

TEST_CASE("a hidden token's neighbours decide, one of them where the other is hidden too") {
  NeighbourTable table(10);
  const auto all = [](std::int64_t) { return true; };
  table.count({1, 2, 3}, all);
  table.count({1, 2, 4}, all);
  table.count({1, 5, 3}, all);
  constexpr auto kUnknown = NeighbourTable::kUnknown;
  const auto alone = [](double count) { return (count + 0.1) / (9.0 + 1.0); };
  CHECK(std::abs(table.probability(2) - alone(2)) < 1e-12);
  CHECK(std::abs(table.probability(9) - alone(0)) < 1e-12);
  CHECK(std::abs(table.probability(1, 2, 3) - (1.0 + alone(2)) / 3.0) < 1e-12);
  CHECK(std::abs(table.probability(1, 2, kUnknown) - (2.0 + alone(2)) / 4.0) < 1e-12);
  CHECK(std::abs(table.probability(7, 2, 8) - alone(2)) < 1e-12);
  CHECK(table.likeliest(1, kUnknown) == 2);
  CHECK(table.likeliest(7, 8) == 1);
  CHECK(table.distinct_tokens() == 5);
  CHECK(table.distinct_triples() == 3);
  double sum = 0.0;
  for (std::int64_t token = 0; token < 10; ++token) sum += table.probability(1, token, 3);
  CHECK(std::abs(sum - 1.0) < 1e-9);
}

}  // namespace
}  // namespace zoo
