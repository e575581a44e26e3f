#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "core/errors.h"
#include "inference/translation.h"
#include "training/evaluation.h"

namespace zoo {
namespace {

void print_json(const Run& opened, const Evaluation& evaluation,
                const std::optional<double>& per_character,
                const std::optional<TranslationScores>& scores) {
  nlohmann::json json = {{"run", opened.folder.string()}, {"step", opened.checkpoint.step},
                         {"split", evaluation.split},     {"loss", evaluation.loss},
                         {"bits", evaluation.bits()},     {"tokens", evaluation.tokens}};
  if (per_character) json["bits_per_character"] = *per_character;
  for (const auto& [name, value] : evaluation.figures) json[name] = value;
  if (scores) {
    json["pairs"] = scores->pairs;
    json["exact_match"] = scores->exact_match;
    json["bleu"] = scores->bleu;
    json["chrf"] = scores->chrf;
  }
  std::cout << json.dump(2) << "\n";
}

void print_table(const Run& opened, const Evaluation& evaluation,
                 const std::optional<double>& per_character,
                 const std::optional<TranslationScores>& scores) {
  std::cout << opened.folder.string() << " at step " << with_commas(opened.checkpoint.step)
            << "\n\n";
  std::vector<std::string> headings = {"split", "tokens", "loss", "bits per token"};
  std::vector<std::string> cells = {evaluation.split, with_commas(evaluation.tokens),
                                    fixed_digits(evaluation.loss, 4),
                                    fixed_digits(evaluation.bits(), 3)};
  const auto add = [&](const std::string& heading, double value, int digits) {
    headings.push_back(heading);
    cells.push_back(fixed_digits(value, digits));
  };
  if (per_character) add("bits per character", *per_character, 3);
  add("perplexity", std::exp(evaluation.loss), 2);
  add("accuracy", evaluation.figures.at("accuracy"), 4);
  if (scores) {
    headings.push_back("pairs");
    cells.push_back(with_commas(scores->pairs));
    add("exact match", scores->exact_match, 4);
    add("BLEU", scores->bleu, 2);
    add("chrF", scores->chrf, 2);
  }
  Table table(headings);
  table.add(cells);
  table.print(std::cout);
}

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  const auto experiment = experiment_of(opened);
  const auto split = arguments.count("split") > 0 ? arguments["split"].as<std::string>()
                                                  : experiment.judging_split();
  const auto batches = experiment.all_batches(split);
  const auto evaluation = evaluate(*experiment.model, *experiment.task, *batches, split);

  std::optional<TranslationScores> scores;
  if (translates(opened.config)) {
    GenerationOptions greedy;
    greedy.sampling.greedy = true;
    greedy.max_new_tokens = opened.config.training.sample_length;
    const auto limit = arguments.count("limit") > 0 ? arguments["limit"].as<std::int64_t>() : -1;
    require<UserError>(arguments.count("limit") == 0 || limit >= 1, "--limit: got ", limit,
                       "; at least 1");
    scores = score(translate_split(experiment, split, limit, greedy));
  }
  const auto per_character = experiment.bits_per_character(evaluation);
  if (arguments.count("json") > 0) {
    print_json(opened, evaluation, per_character, scores);
  } else {
    print_table(opened, evaluation, per_character, scores);
    if (experiment.data.val.empty()) std::cout << "\nThere is no val split.\n";
  }
  return kDone;
}

}  // namespace

Command eval_command() {
  return {"eval",
          "RUN",
          "Measures a run on a whole split of its data",
          "zoo eval runs/first --split val",
          [](cxxopts::Options& options) {
            add_run_options(options);
            options.add_options()("split", "train, val or test; default val, or train without one",
                                  cxxopts::value<std::string>(), "NAME")(
                "limit", "Pairs that are translated for BLEU and chrF; default all",
                cxxopts::value<std::int64_t>(), "N");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
