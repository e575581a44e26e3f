#include "apps/training_summary.h"

#include <iostream>
#include <numbers>

#include <nlohmann/json.hpp>

#include "analysis/baselines.h"
#include "apps/command.h"
#include "apps/generated.h"
#include "apps/table.h"
#include "core/errors.h"
#include "core/files.h"
#include "inference/run.h"
#include "training/checkpoint_observer.h"
#include "training/console.h"

namespace zoo {
namespace {

constexpr std::int64_t kShownSamples = 10;

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const auto& [name, parameter] : unique_parameters(model)) count += parameter.numel();
  return count;
}

/// What the model itself is made of: parameters, or counts.
std::string size_text(const Experiment& experiment) {
  if (const auto* counted = dynamic_cast<const Counted*>(experiment.model.get())) {
    return with_commas(counted->distinct_grams()) + " counts";
  }
  return with_commas(parameter_count(*experiment.model));
}

nlohmann::json summary_json(const std::filesystem::path& run, const Experiment& experiment,
                            const Progress& progress, double tokens_per_second,
                            const std::vector<Baseline>& baselines,
                            const std::vector<GeneratedText>& samples,
                            const TrainingTextIndex& index) {
  const auto split = experiment.judging_split();
  nlohmann::json json = {{"run", run.string()},
                         {"architecture", experiment.config.general.architecture},
                         {"steps", progress.step},
                         {"best_step", progress.best_step},
                         {split + "_loss", progress.best_loss},
                         {split + "_bits", progress.best_loss / std::numbers::ln2},
                         {"parameters", parameter_count(*experiment.model)},
                         {"seconds", progress.seconds},
                         {"tokens_per_second", tokens_per_second},
                         {"samples", samples_json(samples, &index)}};
  for (const auto& baseline : baselines) {
    json["baselines"].push_back({{"name", baseline.name},
                                 {"loss", baseline.loss},
                                 {"bits", baseline.loss / std::numbers::ln2},
                                 {"grams", baseline.grams}});
  }
  return json;
}

void print_tables(const std::filesystem::path& run, const Experiment& experiment,
                  const Progress& progress, double tokens_per_second,
                  const std::vector<Baseline>& baselines, const std::vector<GeneratedText>& samples,
                  const TrainingTextIndex& index) {
  const auto bits = [](double loss) { return fixed_digits(loss / std::numbers::ln2, 3); };
  Table table({"model", experiment.judging_split() + " loss", "bits per token", "size"});
  table.add({experiment.config.general.architecture, fixed_digits(progress.best_loss, 4),
             bits(progress.best_loss), size_text(experiment)});
  for (const auto& baseline : baselines) {
    table.add({baseline.name, fixed_digits(baseline.loss, 4), bits(baseline.loss),
               with_commas(baseline.grams) + " counts"});
  }
  std::cout << "\n";
  table.print(std::cout);
  std::cout << "\n"
            << run.string() << ": " << with_commas(progress.step)
            << (progress.step == 1 ? " step" : " steps") << ", best at "
            << with_commas(progress.best_step) << ", in " << duration_text(progress.seconds);
  if (tokens_per_second > 0.0) {
    std::cout << ", " << with_commas(static_cast<std::int64_t>(tokens_per_second)) << " tokens/s";
  }
  if (experiment.data.val.empty()) {
    std::cout << "\nThere is no val split: the loss is the training split's own.";
  }
  std::cout << "\n\n";
  print_samples(samples, &index, std::cout);

  const auto command = "  " + program_name() + " ";
  std::cout << "\nNext:\n"
            << command << "generate " << run.string() << " --count 20 --temperature 0.8\n"
            << command << "eval " << run.string() << "\n"
            << command << "inspect " << run.string() << "\n";
}

}  // namespace

void print_training_summary(const std::filesystem::path& run, Experiment& experiment,
                            const Progress& progress, double tokens_per_second, bool json) {
  if (progress.best_step != progress.step) {
    restore_model(read_checkpoint(run, "best", experiment.config.identity()), *experiment.model);
  }
  const auto baselines = counted_baselines(experiment);
  GenerationOptions options;
  options.seed = experiment.config.general.seed;
  options.max_new_tokens = experiment.config.training.sample_length;
  const bool lines = experiment.config.data.format == TextFormat::kLines;
  const auto samples = generate_texts(*experiment.model, *experiment.data.tokenizer,
                                      experiment.config, "", lines ? kShownSamples : 1, options);
  const TrainingTextIndex index(experiment.data);

  const auto summary =
      summary_json(run, experiment, progress, tokens_per_second, baselines, samples, index);
  const auto text = summary.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  replace_file(run / "summary.json", text);
  if (json) {
    std::cout << text;
  } else {
    print_tables(run, experiment, progress, tokens_per_second, baselines, samples, index);
  }
}

}  // namespace zoo
