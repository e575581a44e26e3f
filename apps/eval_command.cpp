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
  std::vector<Baseline> baselines;  ///< of classes
  std::optional<double> shifted;    ///< accuracy on moved images
  std::vector<Answer> mistakes;     ///< the surest, of images

  const char* unit() const { return predicted_unit(run.config.general.task); }
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
  for (const auto& baseline : report.baselines) {
    nlohmann::json row = {{"name", baseline.name}};
    for (const auto& [name, value] : baseline.figures) row[name] = value;
    json["baselines"].push_back(std::move(row));
  }
  if (report.shifted) json["shifted_accuracy"] = *report.shifted;
  if (!report.mistakes.empty()) json["mistakes"] = answers_json(report.mistakes);
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
  std::vector<std::string> headings = {"split", text_of(report.unit(), "s"), "loss",
                                       text_of("bits per ", report.unit())};
  std::vector<std::string> cells = {evaluation.split, with_commas(evaluation.tokens),
                                    fixed_digits(evaluation.loss, 4),
                                    fixed_digits(evaluation.bits(), 3)};
  const auto add = [&](const std::string& heading, double value, int digits) {
    headings.push_back(heading);
    cells.push_back(fixed_digits(value, digits));
  };
  if (report.per_character) add("bits per character", *report.per_character, 3);
  if (evaluation.confusion.empty()) add("perplexity", std::exp(evaluation.loss), 2);
  for (const auto& [name, value] : evaluation.figures) {
    // Of a translator, the table below says it of what was written.
    if (name != "exact_match") add(name, value, 4);
  }
  if (report.shifted) add("shifted accuracy", *report.shifted, 4);
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

/// What needs no model, beside the run itself.
void print_baselines(const Report& report) {
  Table table({"answers by", "accuracy", "macro F1"});
  const auto add = [&](const std::string& name, const std::map<std::string, double>& figures) {
    table.add(
        {name, fixed_digits(figures.at("accuracy"), 4), fixed_digits(figures.at("macro_f1"), 4)});
  };
  add(report.run.config.general.architecture, report.evaluation.figures);
  for (const auto& baseline : report.baselines) add(baseline.name, baseline.figures);
  std::cout << "\n";
  table.print(std::cout);
}

void print_mistakes(const Report& report) {
  Table table({"surest mistakes", "<is", "<taken for", "probability"});
  for (const auto& mistake : report.mistakes) {
    table.add({mistake.source, mistake.wanted, mistake.given.text,
               fixed_digits(std::exp(mistake.given.log_probability), 3)});
  }
  std::cout << "\n";
  table.print(std::cout);
}

/// A row a class, a column an answer.
void print_confusion(const Report& report) {
  const auto& classes = report.run.vocabulary.classes;
  std::vector<std::string> headings = {"is, taken for"};
  headings.insert(headings.end(), classes.begin(), classes.end());
  headings.insert(headings.end(), {"precision", "recall", "F1"});
  Table table(headings);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto& confusion = report.evaluation.confusion;
    const auto& counts = confusion[k];
    std::vector<std::string> cells = {classes[k]};
    for (const auto count : counts) cells.push_back(with_commas(count));
    for (const auto value : {precision(confusion, k), recall(confusion, k), f1(confusion, k)}) {
      cells.push_back(fixed_digits(value, 4));
    }
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

/// Accuracy where every image is moved by up to `pixels` each way, in whole pixels.
double shifted_accuracy(const Experiment& experiment, const std::string& split,
                        std::int64_t pixels) {
  AugmentationOptions moved;
  moved.crop_padding = pixels;
  const auto batches = experiment.changed_images(split, moved);
  return evaluate(*experiment.model, *experiment.task, *batches, split).figures.at("accuracy");
}

/// What is found out about images alone.
void add_image_findings(const cxxopts::ParseResult& arguments, Report& report) {
  const auto& split = report.evaluation.split;
  if (arguments.count("shift") > 0) {
    report.shifted = shifted_accuracy(report.experiment, split, at_least_one(arguments, "shift"));
  }
  const auto mistakes = arguments["mistakes"].as<std::int64_t>();
  require<UserError>(mistakes >= 0, "--mistakes: got ", mistakes, "; at least 0");
  report.mistakes = surest_mistakes(report.experiment, split, mistakes);
}

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run_or_export(arguments, positional(arguments, "run"));
  const auto experiment = experiment_of(opened);
  const auto split = arguments.count("split") > 0 ? arguments["split"].as<std::string>()
                                                  : experiment.judging_split();
  const auto batches = experiment.all_batches(split);
  Report report{
      opened,       experiment, evaluate(*experiment.model, *experiment.task, *batches, split),
      std::nullopt, {},         {},
      {},           {},         {}};
  const auto task = opened.config.general.task;
  if (reads_images(task)) {
    add_image_findings(arguments, report);
  } else {
    require<UserError>(arguments.count("shift") == 0 && arguments.count("mistakes") == 0,
                       "--shift and --mistakes: the run reads text; leave them out");
  }
  if (tells_classes(task) && arguments.count("baselines") > 0) {
    report.baselines = baselines_of(experiment, split);
  }
  report.per_character = experiment.bits_per_character(report.evaluation);
  if (translates(opened.config)) report.scores = translated(arguments, experiment, split);
  if (arguments.count("show") > 0) {
    const auto count = at_least_one(arguments, "show");
    require<UserError>(task != TaskType::kLanguageModel,
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
  if (!report.baselines.empty()) print_baselines(report);
  if (!report.evaluation.confusion.empty()) print_confusion(report);
  if (!report.mistakes.empty()) print_mistakes(report);
  if (!report.shown.empty()) {
    std::cout << "\n";
    print_answers(report.shown, std::cout);
  }
  if (!experiment.has_split("val")) std::cout << "\nThere is no val split.\n";
  return kDone;
}

}  // namespace

Command eval_command() {
  return {"eval",
          "RUN",
          "Measures a run or an export on a whole split of its data",
          "zoo eval runs/first --split val",
          [](cxxopts::Options& options) {
            add_run_options(options);
            add_set_option(options);
            options.add_options()("split", "train, val or test; default val, or train without one",
                                  cxxopts::value<std::string>(), "NAME")(
                "show", "Print the answers to the first N examples", cxxopts::value<std::int64_t>(),
                "N")("limit", "Pairs that are translated for BLEU and chrF; default all",
                     cxxopts::value<std::int64_t>(),
                     "N")("baselines",
                          "Compare with what needs no model: of pairs, copied sources and the "
                          "nearest training source's target; of classes, the largest one and naive "
                          "Bayes or the nearest training image");
            options.add_options()("mistakes", "Of images: list the N surest mistakes",
                                  cxxopts::value<std::int64_t>()->default_value("5"), "N")(
                "shift", "Of images: accuracy also with each moved by up to N pixels each way",
                cxxopts::value<std::int64_t>(), "N");
            add_beam_options(options);
            add_json_option(options);
          },
          run,
          kExportNote};
}

}  // namespace zoo
