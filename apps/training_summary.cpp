#include "apps/training_summary.h"

#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/baselines.h"
#include "apps/command.h"
#include "apps/generated.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "core/errors.h"
#include "core/files.h"
#include "inference/answers.h"
#include "inference/generation.h"
#include "training/checkpoint_observer.h"
#include "training/console.h"

namespace zoo {
namespace {

constexpr std::int64_t kShownSamples = 10;

/// What the model itself is made of: parameters, or counts.
std::string size_text(const Experiment& experiment) {
  if (const auto* counted = dynamic_cast<const Counted*>(experiment.model.get())) {
    return with_commas(counted->distinct_grams()) + " counts";
  }
  return with_commas(parameter_count(*experiment.model));
}

const char* unit_of(const Experiment& experiment) {
  return predicted_unit(experiment.config.general.task);
}

bool is_language_model(const Experiment& experiment) {
  return experiment.config.general.task == TaskType::kLanguageModel;
}

/// What is told about a run that has ended.
struct Summary {
  std::filesystem::path run;
  const Experiment& experiment;
  const Progress& progress;
  const Throughput& throughput;
  Evaluation best;  ///< of the best checkpoint
  std::vector<Baseline> baselines;
  std::vector<GeneratedText> samples;
  std::unique_ptr<const TrainingTextIndex> index;
  std::vector<Answer> answers;  ///< instead of samples, of a task with right answers
};

nlohmann::json to_json(const Summary& summary) {
  const auto& split = summary.best.split;
  nlohmann::json json = {{"run", summary.run.string()},
                         {"architecture", summary.experiment.config.general.architecture},
                         {"steps", summary.progress.step},
                         {"best_step", summary.progress.best_step},
                         {split + "_loss", summary.best.loss},
                         {split + "_bits", summary.best.bits()},
                         {"parameters", parameter_count(*summary.experiment.model)},
                         {"seconds", summary.progress.seconds},
                         {"step_ms", summary.throughput.milliseconds_per_step()},
                         {"tokens_per_second", summary.throughput.tokens_per_second()}};
  for (const auto& [name, value] : summary.best.figures) json[split + "_" + name] = value;
  if (const auto bits = summary.experiment.bits_per_character(summary.best)) {
    json[split + "_bits_per_character"] = *bits;
  }
  if (is_language_model(summary.experiment)) {
    json["samples"] = samples_json(summary.samples, summary.index.get());
  } else {
    json["samples"] = answers_json(summary.answers);
  }
  for (const auto& baseline : summary.baselines) {
    nlohmann::json row = {{"name", baseline.name}, {"counts", baseline.counts}};
    if (baseline.loss) {
      row["loss"] = *baseline.loss;
      row["bits"] = *baseline.loss / std::numbers::ln2;
    }
    for (const auto& [name, value] : baseline.figures) row[name] = value;
    json["baselines"].push_back(std::move(row));
  }
  return json;
}

void print_table(const Summary& summary) {
  const auto& experiment = summary.experiment;
  const auto& best = summary.best;
  const auto bits = [](double loss) { return fixed_digits(loss / std::numbers::ln2, 3); };
  // Per character, models that read other tokens can be compared.
  const auto per_character = experiment.bits_per_character(best);
  const auto share = per_character ? *per_character / best.bits() : 1.0;
  const bool other_tokens = per_character && std::abs(share - 1.0) > 1e-9;
  std::vector<std::string> headings = {"model", best.split + " loss",
                                       text_of("bits per ", unit_of(experiment))};
  if (other_tokens) headings.emplace_back("bits per character");
  for (const auto& [name, value] : best.figures) headings.push_back(name);
  headings.emplace_back("size");
  Table table(headings);
  const auto add = [&](const std::string& name, std::optional<double> loss, const std::string& size,
                       const std::map<std::string, double>& figures) {
    std::vector<std::string> cells = {name, loss ? fixed_digits(*loss, 4) : "",
                                      loss ? bits(*loss) : ""};
    if (other_tokens) cells.push_back(loss ? bits(*loss * share) : "");
    for (const auto& [figure, value] : best.figures) {
      cells.push_back(figures.contains(figure) ? fixed_digits(figures.at(figure), 4) : "");
    }
    cells.push_back(size);
    table.add(cells);
  };
  add(experiment.config.general.architecture, best.loss, size_text(experiment), best.figures);
  for (const auto& baseline : summary.baselines) {
    add(baseline.name, baseline.loss, with_commas(baseline.counts) + " counts", baseline.figures);
  }
  std::cout << "\n";
  table.print(std::cout);
}

/// What a user wants to give to such a run.
std::string next_arguments(TaskType task) {
  switch (task) {
    case TaskType::kSequenceToSequence:
      return " SOURCE...";
    case TaskType::kMaskedLanguageModel:
      return " \"TEXT with " + std::string(kMaskToken) + "\"";
    case TaskType::kTextClassification:
      return " TEXT...";
    case TaskType::kImageClassification:
      return " IMAGE.png...";
    case TaskType::kLanguageModel:
      break;
  }
  return " --count 20 --temperature 0.8";
}

void print(const Summary& summary) {
  const auto& experiment = summary.experiment;
  const auto& progress = summary.progress;
  print_table(summary);
  auto told =
      text_of(with_commas(progress.step), progress.step == 1 ? " step" : " steps", ", best at ",
              with_commas(progress.best_step), ", in ", duration_text(progress.seconds));
  if (const auto rate = summary.throughput.tokens_per_second(); rate > 0.0) {
    told += text_of(", ", with_commas(static_cast<std::int64_t>(rate)), " ", unit_of(experiment),
                    "s/s");
  }
  std::cout << "\n" << fitted({summary.run.string() + ": ", "  "}, told);
  if (!experiment.has_split("val")) {
    std::cout << "\nThere is no val split: the loss is the training split's own.";
  }
  std::cout << "\n\n";
  const auto run = summary.run.string();
  const auto command = "  " + program_name() + " ";
  const auto task = experiment.config.general.task;
  if (is_language_model(experiment)) {
    print_samples(summary.samples, summary.index.get(), std::cout);
  } else {
    print_answers(summary.answers, std::cout);
  }
  std::cout << "\nNext:\n"
            << command << command_for(task) << " " << run << next_arguments(task) << "\n";
  std::cout << command << "eval " << run << "\n" << command << "inspect " << run << "\n";
}

}  // namespace

void print_training_summary(const std::filesystem::path& run, Experiment& experiment,
                            const Progress& progress, const Throughput& throughput, bool json) {
  if (progress.best_step != progress.step) {
    restore_model(read_checkpoint(run, "best", experiment.config.identity()), *experiment.model);
  }
  const auto split = experiment.judging_split();
  const auto batches = experiment.all_batches(split);
  Summary summary{run,
                  experiment,
                  progress,
                  throughput,
                  evaluate(*experiment.model, *experiment.task, *batches, split),
                  {},
                  {},
                  nullptr,
                  {}};
  summary.baselines = baselines_of(experiment, split);
  TranslationOptions options;
  options.generation.seed = experiment.config.general.seed;
  options.generation.max_new_tokens = experiment.config.training.sample_length;
  if (is_language_model(experiment)) {
    const bool text = experiment.config.data.format == TextFormat::kText;
    summary.samples =
        generate_texts(trained_model(experiment), "", text ? 1 : kShownSamples, options.generation);
    summary.index = index_training_text(experiment.text);
  } else {
    options.generation.sampling.greedy = true;
    summary.answers = answer_split(experiment, split, kShownSamples, options);
  }
  const auto text =
      to_json(summary).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  replace_file(run / "summary.json", text);
  if (json) {
    std::cout << text;
  } else {
    print(summary);
  }
}

}  // namespace zoo
