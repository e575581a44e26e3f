#include "analysis/comparison_results.h"

#include <cmath>
#include <numbers>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "analysis/comparison_files.h"
#include "analysis/comparison_tables.h"
#include "analysis/gradient_reach.h"
#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"
#include "training/evaluation.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const StepTimer kNoTrial = [](const Contender&, const std::vector<std::string>&) -> double {
  throw std::logic_error("nothing is to be timed");
};

/// Configs of tiny models on the same names, and a comparison of them.
class Workplace {
 public:
  Workplace() {
    for (const char* name : {"gpt", "mlp", "bigram", "ngram"}) {
      const auto raw = tiny_config(folder_.path(), find_architecture(name), {}, "language_model");
      write_file_synced(folder_ / (std::string(name) + ".json"), raw.document.dump());
    }
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

  Comparison read(const Json& comparison) const {
    replace_file(folder_ / "compare.json", comparison.dump());
    return read_comparison(folder_ / "compare.json");
  }
  std::string refused(const Json& comparison) const {
    return message_of<UserError>([&] { read(comparison); });
  }
  Contender contender(const std::string& name, const std::string& scale = "") const {
    return read({{"runs", {{{"config", name + ".json"}, {"scale", scale}}}}})
        .problems.front()
        .contenders.front();
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE(
    "a paired bootstrap finds a shift that all examples share, and none where there is none") {
  ExampleScores a{{}, std::vector<double>(400, 1.0)};
  for (int i = 0; i < 400; ++i) a.values.push_back(5.0 + std::sin(i * 1.7) * 3.0);
  CHECK(paired_bootstrap(a, a, 1).low == 0.0);
  CHECK(paired_bootstrap(a, a, 1).high == 0.0);
  auto b = a;
  for (auto& value : b.values) value += 0.01;
  const auto shifted = paired_bootstrap(b, a, 1);
  CHECK(shifted.low == Approx(0.01));
  CHECK(shifted.high == Approx(0.01));
  CHECK_FALSE(shifted.holds_zero());
  auto noisy = a;
  for (std::size_t i = 0; i < 400; ++i) noisy.values[i] += i % 2 == 0 ? 0.5 : -0.5;
  const auto none = paired_bootstrap(noisy, a, 1);
  CHECK(none.holds_zero());
  // The standard error of 400 differences of +-0.5 is 0.025; 1.96 of it on each side.
  CHECK(none.high - none.low == Approx(0.098).epsilon(0.1));
  CHECK(paired_bootstrap(noisy, a, 1).low == none.low);
  b.values.pop_back();
  CHECK_THROWS_AS(paired_bootstrap(b, a, 1), std::invalid_argument);
}

TEST_CASE("scores weigh examples by their weights") {
  CHECK(ExampleScores{{3.0, 1.0}, {1.0, 3.0}}.score() == 1.0);
}

TEST_CASE("a comparison reads configs, settings for all, for one, and grids") {
  const Workplace here;
  const auto comparison = here.read({{"title", "T"},
                                     {"seeds", {4, 2}},
                                     {"budget", {{"steps", 7}}},
                                     {"set", {{"optimizer.learning_rate", 0.25}}},
                                     {"runs",
                                      {{{"config", "gpt.json"},
                                        {"set", {{"model.n_layers", 1}}},
                                        {"grid", {{"model.norm", {"layer", "rms"}}}}},
                                       {{"config", "bigram.json"}, {"name", "table"}}}}});
  CHECK(comparison.title == "T");
  CHECK(comparison.seeds == std::vector<std::int64_t>{4, 2});
  CHECK(comparison.budget.steps == 7);
  REQUIRE(comparison.problems.size() == 1);
  const auto& problem = comparison.problems.front();
  CHECK(problem.name.empty());
  REQUIRE(problem.contenders.size() == 3);
  CHECK(problem.contenders[0].name == "gpt norm layer");
  CHECK(problem.contenders[1].config.model.at("norm") == "rms");
  CHECK(problem.contenders[1].config.model.at("n_layers") == 1);
  CHECK(problem.contenders[2].name == "table");
  for (const auto& one : problem.contenders) {
    CHECK(one.config.optimizer.learning_rate == 0.25);
  }
  const auto runs = planned_runs(problem, comparison.seeds, "out");
  REQUIRE(runs.size() == 6);
  CHECK(runs[1].folder == fs::path("out/gpt-norm-rms-seed-4"));
  CHECK(runs[5].seed == 2);
}

TEST_CASE("a comparison of several problems has every contender on each of them") {
  const Workplace here;
  make_folders(here / "deep");
  write_file_synced(here / "deep/other.txt", "ab\nba\nabba\nbaab\nbabab\nabab\nbb\naa\n");
  const auto comparison =
      here.read({{"set", {{"data.val_fraction", 0.25}}},
                 {"runs", {{{"config", "gpt.json"}}, {{"config", "bigram.json"}}}},
                 {"problems",
                  {{{"name", "all names"}, {"set", {{"training.batch_size", 2}}}},
                   {{"name", "two letters"}, {"set", {{"data.path", "deep/other.txt"}}}}}}});
  REQUIRE(comparison.problems.size() == 2);
  for (const auto& problem : comparison.problems) {
    REQUIRE(problem.contenders.size() == 2);
    CHECK(problem.contenders[1].name == "bigram");
  }
  CHECK(comparison.problems[0].contenders[0].config.training.batch_size == 2);
  // A path is meant from the folder of the comparison.
  const auto& other = comparison.problems[1].contenders[0];
  CHECK(other.config.data.path == (here / "deep/other.txt").string());
  CHECK(folder_name("two letters, again") == "two-letters--again");
}

TEST_CASE("a comparison refuses mistakes with the place") {
  const Workplace here;
  const Json runs = {{{"config", "gpt.json"}}};
  CHECK_THAT(here.refused({{"run", runs}}), ContainsSubstring("run: unknown key"));
  CHECK_THAT(here.refused({{"runs", Json::array()}}), ContainsSubstring(".runs: expected a list"));
  CHECK_THAT(here.refused({{"runs", {{{"conf", "gpt.json"}}}}}),
             ContainsSubstring("runs[0].conf: unknown key"));
  CHECK_THAT(here.refused({{"runs", {{{"config", "none.json"}}}}}), ContainsSubstring("none.json"));
  CHECK_THAT(here.refused({{"runs", runs}, {"seeds", {1, 2, 1}}}),
             ContainsSubstring("the seed 1 stands twice"));
  CHECK_THAT(here.refused({{"runs", runs}, {"seeds", {-1}}}), ContainsSubstring("-1 is no seed"));
  CHECK_THAT(here.refused({{"runs", {{{"config", "gpt.json"}}, {{"config", "gpt.json"}}}}}),
             ContainsSubstring("the name gpt stands twice"));
  CHECK_THAT(here.refused({{"runs", runs}, {"budget", {{"steps", 3}, {"seconds", 1.0}}}}),
             ContainsSubstring("more than one of steps"));
  CHECK_THAT(here.refused({{"runs", runs}, {"budget", {{"step", 3}}}}),
             ContainsSubstring("did you mean steps?"));
  CHECK_THAT(here.refused({{"runs",
                            {{{"config", "gpt.json"}},
                             {{"config", "bigram.json"}, {"set", {{"data.val_fraction", 0.5}}}}}}}),
             ContainsSubstring("data.val_fraction is 0.25 and 0.5"));
  CHECK_THAT(here.refused({{"runs", runs}, {"problems", {{{"set", Json::object()}}}}}),
             ContainsSubstring("problems[0].name: missing"));
  CHECK_THAT(here.refused({{"runs", runs}, {"problems", {{{"name", "a b"}}, {{"name", "a-b"}}}}}),
             ContainsSubstring("the name a-b stands twice"));
  CHECK_THAT(here.refused({{"runs", runs}, {"gradient_reach", 1}}),
             ContainsSubstring("gradient_reach: expected true or false"));
  CHECK_THAT(
      here.refused({{"runs", {{{"config", "gpt.json"}, {"grid", {{"model.norm", "rms"}}}}}}}),
      ContainsSubstring("expected a list of values"));
}

TEST_CASE("a width is found whose parameters are within 3 % of the budget") {
  const Workplace here;
  Budget budget;
  for (const std::int64_t target : {3000, 20000, 150000}) {
    budget.parameters = target;
    const auto plan = planned(here.contender("gpt", "model.d_model"), budget, kNoTrial);
    INFO(target << " " << plan.settings.front());
    const auto off = static_cast<double>(std::abs(plan.parameters - target));
    CHECK(off <= 0.03 * static_cast<double>(target));
    CHECK(plan.settings.front().starts_with("model.d_model="));
  }
  CHECK(planned(here.contender("bigram"), budget, kNoTrial).settings.empty());
  budget.parameters = 10;
  CHECK_THAT(message_of<UserError>(
                 [&] { planned(here.contender("gpt", "model.d_model"), budget, kNoTrial); }),
             ContainsSubstring("gives 10 parameters within 3 %; the nearest, "));
}

TEST_CASE("every budget becomes steps, and a counted table has none") {
  const Workplace here;
  const auto gpt = here.contender("gpt");
  const auto steps_of = [&](const Budget& budget, const StepTimer& timer = kNoTrial) {
    return planned(gpt, budget, timer).steps;
  };
  Budget steps, tokens, flops, seconds;
  steps.steps = 12;
  CHECK(steps_of(steps) == 12);
  const auto plan = planned(gpt, steps, kNoTrial);
  CHECK(plan.flops_per_step > 0.0);
  flops.flops = plan.flops_per_step * 5.5;
  CHECK(steps_of(flops) == 5);
  seconds.seconds = 2.0;
  CHECK(steps_of(seconds, [](const auto&, const auto&) { return 8.0; }) == 250);
  // A step is 4 lines, each of which predicts its characters and its end.
  const auto& train = make_experiment(gpt.config).text.train;
  tokens.tokens = 100 * 4 * train.starts.back() / train.size();
  CHECK(std::abs(steps_of(tokens) - 100) <= 3);
  flops.flops = 1.0;
  CHECK_THAT(message_of<UserError>([&] { steps_of(flops); }),
             ContainsSubstring("is used up by a single step"));
  const auto table = planned(here.contender("ngram"), steps, kNoTrial);
  CHECK(table.counts);
  CHECK(table.steps == 0);
  CHECK(planned_from_json(to_json(plan), "x").settings == plan.settings);
  CHECK_THROWS_AS(planned_from_json(Json::object(), "plan.json"), UserError);
}

TEST_CASE("scores by example add up to the evaluation, whatever the view and the task") {
  const TemporaryFolder folder;
  for (const auto& [name, task] :
       std::vector<std::pair<std::string, std::string>>{{"gpt", "language_model"},
                                                        {"mlp", "language_model"},
                                                        {"cnn", "text_classification"},
                                                        {"bert", "masked_language_model"}}) {
    INFO(name << " learns " << task);
    const auto raw = tiny_config(folder / name, find_architecture(name), {}, task);
    const auto experiment = make_tiny_experiment(raw);
    const auto batches = experiment.all_batches("val");
    const auto evaluation = evaluate(*experiment.model, *experiment.task, *batches, "val");
    const auto scores = example_scores(experiment, "val");
    CHECK(scores.values.size() == static_cast<std::size_t>(experiment.text.val.size()));
    if (task == "text_classification") {
      CHECK(scores.score() == Approx(evaluation.figures.at("accuracy")));
    } else if (task == "language_model") {
      CHECK(scores.score() == Approx(*experiment.bits_per_character(evaluation)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a pseudo-log-likelihood hides every token by itself") {
  const TemporaryFolder folder;
  const auto experiment = make_tiny_experiment(
      tiny_config(folder.path(), find_architecture("bert"), {}, "masked_language_model"));
  const auto& val = experiment.text.val;
  const auto scores = example_scores(experiment, "val");
  experiment.model->eval();
  for (std::size_t line = 0; line < 3; ++line) {
    const auto letters = val.tokens.range(val.starts[line] + 1, val.starts[line + 1]);
    double bits = 0.0;
    for (std::size_t hidden = 0; hidden < letters.size(); ++hidden) {
      std::vector<std::int64_t> row = {experiment.facts.boundary_id};
      row.insert(row.end(), letters.begin(), letters.end());
      row.push_back(experiment.facts.separator_id);
      row[hidden + 1] = experiment.facts.mask_id;
      Inputs inputs;
      inputs.tokens = torch::tensor(row, torch::kInt64).unsqueeze(0);
      const auto logits =
          experiment.model->forward(inputs)[0][static_cast<std::int64_t>(hidden) + 1];
      bits -= logits.log_softmax(-1)[letters[hidden]].item<double>() / std::numbers::ln2;
    }
    CHECK(scores.values[line] == Approx(bits).epsilon(1e-4));
    CHECK(scores.weights[line] == static_cast<double>(letters.size()));
  }
}

TEST_CASE("gradients reach no further back than a model sees") {
  const TemporaryFolder folder;
  const auto made = [&](const std::string& name, const std::vector<std::string>& more) {
    auto settings = more;
    settings.insert(settings.end(),
                    {"data.format=text", "data.val_fraction=0.4", "tokenizer.unknown=skip"});
    return make_tiny_experiment(
        tiny_config(folder / name, find_architecture(name), settings, "language_model"));
  };
  const auto bigram = made("bigram", {"data.window=6"});
  const auto reach = gradient_reach(bigram, "val");
  REQUIRE(reach.size() == 6);
  CHECK(reach[0] > 0.0);
  for (std::size_t back = 1; back < 6; ++back) CHECK(reach[back] == 0.0);
  const auto rnn = gradient_reach(made("rnn", {"data.window=6"}), "val");
  for (const auto norm : rnn) CHECK(norm > 0.0);
  CHECK(rnn[5] < rnn[0]);
  CHECK(gradient_reach(made("mlp", {}), "val").size() == 3);
  const auto lines =
      make_tiny_experiment(tiny_config(folder / "lines", find_architecture("gpt"), {}));
  CHECK_THROWS_AS(gradient_reach(lines, "val"), UserError);
}

TEST_CASE("contenders are ranked by their means, with what separates them from the best") {
  ComparisonResults results;
  results.title = "T";
  results.split = "val";
  results.yardstick = {"bits per character", false};
  const std::vector<double> weights(200, 1.0);
  const auto add = [&](const std::string& name, const std::vector<double>& means, double noise) {
    ContenderResult contender;
    contender.plan.name = name;
    for (const auto mean : means) {
      RunResult run;
      for (int i = 0; i < 200; ++i)
        run.best.values.push_back(mean + std::sin(i) + (i % 2 == 0 ? noise : -noise));
      run.best.weights = weights;
      run.last_score = mean + 1.0;
      contender.runs.push_back(run);
    }
    results.contenders.push_back(contender);
  };
  add("worse", {2.5, 2.7}, 0.0);
  add("best", {2.0, 2.2}, 0.0);
  add("as good", {2.11, 2.11}, 0.3);
  results.references = {{"gzip -9", 3.5}};
  results.differences = {{"model.norm", {"layer", "rms", "a,b"}}};
  rank(results);
  CHECK(results.contenders[0].plan.name == "best");
  CHECK(results.contenders[2].plan.name == "worse");
  CHECK(results.contenders[0].deviation == Approx(std::sqrt(0.02)));
  CHECK_FALSE(results.contenders[0].behind);
  CHECK(behind_text(results.contenders[1]) == "no difference shown");
  CHECK(behind_text(results.contenders[2]) == "+0.5000 to +0.5000");
  const auto json = to_json(std::vector{results});
  CHECK(json.at("rows")[2].at("difference_shown") == true);
  CHECK(json.at("references")[0].at("name") == "gzip -9");
  CHECK_THAT(to_csv({results}), ContainsSubstring("\n,as good,0,"));
  CHECK_THAT(to_markdown({results}), ContainsSubstring("| worse | "));
  CHECK_THAT(to_markdown({results}), ContainsSubstring("| model.norm | layer | rms | a,b |"));

  // The same again as a second problem, on which the worse one is missing.
  auto other = results;
  results.problem = "one";
  other.problem = "two";
  other.contenders.pop_back();
  const auto table = matrices({results, other}).front().table;
  CHECK(table[0] == std::vector<std::string>{"model", "one", "two"});
  CHECK(table[1][1].ends_with(" ± 0.1414 *"));
  CHECK(table[2][1].ends_with("*"));
  CHECK(table[3][1].ends_with(" ± 0.1414"));
  CHECK(table[3][2].empty());
  CHECK(to_json(std::vector{results, other}).at("problems")[1].at("problem") == "two");
  CHECK_THAT(to_csv({results, other}), ContainsSubstring("\ntwo,as good,0,"));
  CHECK_THAT(to_markdown({results, other}), ContainsSubstring("## two"));
  results.yardstick.higher_is_better = true;
  rank(results);
  CHECK(results.contenders[0].plan.name == "worse");
}

TEST_CASE("references of text are counted and compressed, those of classes are eval's baselines") {
  const TemporaryFolder folder;
  const auto text = make_tiny_experiment(tiny_config(folder / "text", find_architecture("gpt")));
  const auto references = references_of(text, "val");
  REQUIRE(references.size() == 8);
  CHECK(references[0].name == "1-gram, Kneser-Ney");
  CHECK(references[1].score < references[0].score);
  CHECK(references[7].name == "xz -9e");
  for (const auto& reference : references) CHECK((reference.score > 0.5 && reference.score < 20));
  const auto classes = make_tiny_experiment(
      tiny_config(folder / "classes", find_architecture("cnn"), {}, "text_classification"));
  CHECK(references_of(classes, "val").front().score <= 1.0);

  auto other = text.config;
  other.data.window = 7;
  CHECK(have_same_references(text.config, other));
  other.tokenizer.vocab_size += 1;
  CHECK_FALSE(have_same_references(text.config, other));
}

}  // namespace
}  // namespace zoo
