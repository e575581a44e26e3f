#include <cmath>
#include <iostream>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/baselines.h"
#include "apps/command.h"
#include "apps/generated.h"
#include "apps/generation_options.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "inference/answers.h"
#include "training/evaluation.h"

namespace zoo {
namespace {

/// How well a translator, or what stands in for one, wrote the targets of a split.
struct NamedScores {
  std::string name;
  TranslationScores whole;
  TranslationScores unlike;  ///< of sources that are no near duplicate of a training source
};

/// What a split was found to be worth.
struct Report {
  const Run& run;
  const Experiment& experiment;
  Evaluation evaluation;
  std::optional<double> per_character;
  std::vector<NamedScores> scores;  ///< of a run that translates: its own, then the baselines'
  std::vector<Answer> shown;        ///< the first answers, as many as were asked for
};

nlohmann::json json_of(const TranslationScores& scores) {
  return {{"pairs", scores.pairs},
          {"exact_match", scores.exact_match},
          {"bleu", scores.bleu},
          {"chrf", scores.chrf}};
}

void print_json(const Report& report) {
  const auto& evaluation = report.evaluation;
  nlohmann::json json = {{"run", report.run.folder.string()}, {"step", report.run.checkpoint.step},
                         {"split", evaluation.split},         {"loss", evaluation.loss},
                         {"bits", evaluation.bits()},         {"tokens", evaluation.tokens}};
  if (report.per_character) json["bits_per_character"] = *report.per_character;
  for (const auto& [name, value] : evaluation.figures) json[name] = value;
  if (!evaluation.confusion.empty()) {
    json["classes"] = report.run.vocabulary.classes;
    json["confusion"] = evaluation.confusion;
  }
  if (!report.scores.empty()) {
    json.update(json_of(report.scores.front().whole));
    for (const auto& one : report.scores) {
      json["translators"].push_back({{"name", one.name},
                                     {"whole", json_of(one.whole)},
                                     {"without_near_duplicates", json_of(one.unlike)}});
    }
  }
  if (!report.shown.empty()) json["answers"] = answers_json(report.shown);
  std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

void print_figures(const Report& report) {
  const auto& evaluation = report.evaluation;
  const bool tokens = evaluation.confusion.empty();
  std::vector<std::string> headings = {"split", tokens ? "tokens" : "texts", "loss",
                                       tokens ? "bits per token" : "bits per text"};
  std::vector<std::string> cells = {evaluation.split, with_commas(evaluation.tokens),
                                    fixed_digits(evaluation.loss, 4),
                                    fixed_digits(evaluation.bits(), 3)};
  const auto add = [&](const std::string& heading, double value, int digits) {
    headings.push_back(heading);
    cells.push_back(fixed_digits(value, digits));
  };
  if (report.per_character) add("bits per character", *report.per_character, 3);
  if (tokens) add("perplexity", std::exp(evaluation.loss), 2);
  for (const auto& [name, value] : evaluation.figures) {
    // Of a translator, the table below says it of what was written.
    if (name != "exact_match") add(name, value, 4);
  }
  Table table(headings);
  table.add(cells);
  table.print(std::cout);
}

void print_scores(const std::vector<NamedScores>& scores) {
  const auto print_part = [&](const char* what, TranslationScores NamedScores::*part) {
    const auto pairs = (scores.front().*part).pairs;
    if (pairs == 0) return;
    Table table({text_of(what, ", ", with_commas(pairs), " pairs"), "exact match", "BLEU", "chrF"});
    for (const auto& one : scores) {
      const auto& values = one.*part;
      table.add({one.name, fixed_digits(values.exact_match, 4), fixed_digits(values.bleu, 2),
                 fixed_digits(values.chrf, 2)});
    }
    std::cout << "\n";
    table.print(std::cout);
  };
  print_part("written targets", &NamedScores::whole);
  if (scores.front().unlike.pairs < scores.front().whole.pairs) {
    print_part("without near duplicates of train", &NamedScores::unlike);
  }
}

/// A row a class, a column an answer.
void print_confusion(const Report& report) {
  const auto& classes = report.run.vocabulary.classes;
  std::vector<std::string> headings = {"is, taken for"};
  headings.insert(headings.end(), classes.begin(), classes.end());
  headings.emplace_back("F1");
  Table table(headings);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto& counts = report.evaluation.confusion[k];
    std::vector<std::string> cells = {classes[k]};
    for (const auto count : counts) cells.push_back(with_commas(count));
    cells.push_back(fixed_digits(f1(report.evaluation.confusion, k), 4));
    table.add(cells);
  }
  std::cout << "\n";
  table.print(std::cout);
}

NamedScores scores_of(const NearDuplicateIndex& training, const std::string& name,
                      const std::vector<Answer>& answers) {
  return {name, score(answers), score(without_near_duplicates(training, answers))};
}

TranslationOptions answer_options(const cxxopts::ParseResult& arguments, const Config& config) {
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  options.generation.max_new_tokens = config.training.sample_length;
  options.beams = beam_options(arguments);
  return options;
}

/// Writes the targets of a split and compares them with what needs no model.
std::vector<NamedScores> translated(const cxxopts::ParseResult& arguments,
                                    const Experiment& experiment, const std::string& split) {
  const auto limit = arguments.count("limit") > 0 ? at_least_one(arguments, "limit") : -1;
  const auto answers =
      answer_split(experiment, split, limit, answer_options(arguments, experiment.config));
  const auto training = index_training_sources(experiment);
  std::vector<NamedScores> scores = {
      scores_of(training, experiment.config.general.architecture, answers)};
  if (split == "train" || arguments.count("baselines") == 0) return scores;
  for (const auto& baseline : translation_baselines(experiment, answers)) {
    scores.push_back(scores_of(training, baseline.name, baseline.answers));
  }
  return scores;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  const auto experiment = experiment_of(opened);
  const auto split = arguments.count("split") > 0 ? arguments["split"].as<std::string>()
                                                  : experiment.judging_split();
  const auto batches = experiment.all_batches(split);
  Report report{
      opened,       experiment, evaluate(*experiment.model, *experiment.task, *batches, split),
      std::nullopt, {},         {}};
  report.per_character = experiment.bits_per_character(report.evaluation);
  if (translates(opened.config)) report.scores = translated(arguments, experiment, split);
  if (arguments.count("show") > 0) {
    const auto count = at_least_one(arguments, "show");
    require<UserError>(opened.config.general.task != TaskType::kLanguageModel,
                       "--show: a language model has no right answers; `", program_name(),
                       " generate ", opened.folder.string(), "` writes texts");
    report.shown =
        answer_split(experiment, split, count, answer_options(arguments, experiment.config));
  }
  if (arguments.count("json") > 0) {
    print_json(report);
    return kDone;
  }
  std::cout << opened.folder.string() << " at step " << with_commas(opened.checkpoint.step)
            << "\n\n";
  print_figures(report);
  if (!report.scores.empty()) print_scores(report.scores);
  if (!report.evaluation.confusion.empty()) print_confusion(report);
  if (!report.shown.empty()) {
    std::cout << "\n";
    print_answers(report.shown, std::cout);
  }
  if (experiment.data.val.empty()) std::cout << "\nThere is no val split.\n";
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
                "show", "Print the answers to the first N examples", cxxopts::value<std::int64_t>(),
                "N")("limit", "Pairs that are translated for BLEU and chrF; default all",
                     cxxopts::value<std::int64_t>(),
                     "N")("baselines",
                          "Compare with copied sources and the nearest training source's target");
            add_beam_options(options);
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
