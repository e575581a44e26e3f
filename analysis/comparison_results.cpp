#include "analysis/comparison_results.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <nlohmann/json.hpp>

#include "analysis/baselines.h"
#include "analysis/compression.h"
#include "analysis/gradient_reach.h"
#include "analysis/kneser_ney.h"
#include "core/errors.h"
#include "core/json_file.h"
#include "inference/run.h"

namespace zoo {
namespace {

constexpr std::int64_t kHighestOrder = 6;
constexpr std::uint64_t kBootstrapSeed = 1;

/// The predicted tokens of a split in rows, each with what stands before it.
std::vector<std::vector<std::int64_t>> rows_of(const TextSplit& split) {
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    rows.push_back(split.tokens.range(split.starts[i], split.starts[i + 1] + 1));
  }
  return rows;
}

double kneser_ney_bits(const Experiment& experiment, const TextSplit& split, std::int64_t order) {
  KneserNey model(order, experiment.facts.vocab_size);
  for (const auto& row : rows_of(experiment.text.train)) model.count(row, 1);
  model.finish();
  double nats = 0.0;
  for (const auto& row : rows_of(split)) {
    for (const auto loss : model.losses(row, 1)) nats += loss;
  }
  return nats / std::numbers::ln2 / static_cast<double>(split.characters);
}

/// The text of a split as it stood in its file.
std::string text_of_split(const TextData& text, const TextSplit& split) {
  std::string all;
  for (std::size_t i = 0; i + 1 < split.starts.size(); ++i) {
    if (text.format == TextFormat::kText) {
      all += text.tokenizer->decode(split.tokens.range(split.starts[i], split.starts[i + 1] + 1));
    } else {
      all += text.tokenizer->decode(split.tokens.range(split.starts[i] + 1, split.starts[i + 1]));
      all += '\n';
    }
  }
  return all;
}

std::vector<Reference> references_of_text(const Experiment& experiment, const TextSplit& split) {
  std::vector<Reference> references;
  for (std::int64_t order = 1; order <= kHighestOrder; ++order) {
    references.push_back(
        {text_of(order, "-gram, Kneser-Ney"), kneser_ney_bits(experiment, split, order)});
  }
  const auto train = text_of_split(experiment.text, experiment.text.train);
  const auto held_out = text_of_split(experiment.text, split);
  references.push_back(
      {"gzip -9", bits_per_character(gzip_size, train, held_out, split.characters)});
  references.push_back({"xz -9e", bits_per_character(xz_size, train, held_out, split.characters)});
  return references;
}

/// Example by example, the mean over the seeds.
ExampleScores mean_scores(const std::vector<RunResult>& runs) {
  auto mean = runs.front().best;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    for (std::size_t at = 0; at < mean.values.size(); ++at) {
      mean.values[at] += runs[i].best.values[at];
    }
  }
  for (auto& value : mean.values) value /= static_cast<double>(runs.size());
  return mean;
}

void summarise(ContenderResult& contender) {
  const auto count = static_cast<double>(contender.runs.size());
  contender.mean = contender.last_mean = 0.0;
  for (const auto& run : contender.runs) {
    contender.mean += run.best.score() / count;
    contender.last_mean += run.last_score / count;
  }
  double squares = 0.0;
  for (const auto& run : contender.runs) squares += std::pow(run.best.score() - contender.mean, 2);
  contender.deviation = count > 1 ? std::sqrt(squares / (count - 1)) : 0.0;
}

/// Options by their dotted names.
std::map<std::string, std::string> flattened(const nlohmann::json& json,
                                             const std::string& prefix = "") {
  std::map<std::string, std::string> values;
  for (const auto& [key, value] : json.items()) {
    if (value.is_object()) {
      values.merge(flattened(value, prefix + key + "."));
    } else {
      values[prefix + key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
  return values;
}

}  // namespace

RunResult judged_run(const PlannedRun& run, const std::string& split, bool with_reach) {
  RunResult result;
  result.folder = run.folder;
  result.seed = run.seed;
  const auto summary = read_json_file(run.folder / "summary.json");
  result.steps = summary.value("steps", std::int64_t{0});
  result.seconds = summary.value("seconds", 0.0);
  result.step_milliseconds = summary.value("step_ms", 0.0);
  result.tokens_per_second = summary.value("tokens_per_second", 0.0);
  const auto best = open_run(run.folder, "best", "");
  auto experiment = experiment_of(best);
  const auto* counted = dynamic_cast<const Counted*>(best.model.get());
  result.parameters = counted != nullptr ? counted->distinct_grams() : parameter_count(*best.model);
  result.best = example_scores(experiment, split);
  if (with_reach && counted == nullptr) result.gradient_reach = gradient_reach(experiment, split);
  result.last_score = result.best.score();
  if (result.steps == best.checkpoint.step) return result;
  experiment.model = open_run(run.folder, "last", "").model;
  result.last_score = example_scores(experiment, split).score();
  return result;
}

std::vector<Reference> references_of(const Experiment& experiment, const std::string& split) {
  const auto task = experiment.config.general.task;
  if (task == TaskType::kLanguageModel) {
    return references_of_text(experiment, experiment.text.split(split));
  }
  std::vector<Reference> references;
  if (!tells_classes(task)) return references;
  for (const auto& baseline : baselines_of(experiment, split)) {
    references.push_back({baseline.name, baseline.figures.at("accuracy")});
  }
  return references;
}

bool have_same_references(const Config& a, const Config& b) {
  return data_difference(a, b).empty() && a.images.train_images == b.images.train_images &&
         write_options(a.tokenizer) == write_options(b.tokenizer);
}

void rank(ComparisonResults& results) {
  auto& contenders = results.contenders;
  for (auto& contender : contenders) summarise(contender);
  const double sign = results.yardstick.higher_is_better ? -1.0 : 1.0;
  std::stable_sort(contenders.begin(), contenders.end(),
                   [&](const auto& a, const auto& b) { return sign * a.mean < sign * b.mean; });
  if (contenders.empty()) return;
  contenders.front().behind.reset();
  const auto best = mean_scores(contenders.front().runs);
  for (std::size_t i = 1; i < contenders.size(); ++i) {
    const auto scores = mean_scores(contenders[i].runs);
    if (scores.values.size() != best.values.size()) continue;
    contenders[i].behind = paired_bootstrap(scores, best, kBootstrapSeed);
  }
}

double training_flops(const ContenderResult& contender) {
  return contender.plan.flops_per_step * mean_of(contender, &RunResult::steps);
}

std::vector<Difference> differences_of(const std::vector<const Contender*>& contenders,
                                       const std::vector<const PlannedContender*>& plans) {
  std::vector<std::map<std::string, std::string>> configs;
  std::set<std::string> keys;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    auto raw = contenders[i]->raw;
    apply_settings(raw, plans[i]->settings);
    configs.push_back(flattened(resolve_config(raw).to_json()));
    for (const auto& [key, value] : configs.back()) keys.insert(key);
  }
  std::vector<Difference> differences;
  for (const auto& key : keys) {
    Difference difference{key, {}};
    for (const auto& config : configs) {
      const auto found = config.find(key);
      difference.values.push_back(found == config.end() ? "" : found->second);
    }
    const auto& values = difference.values;
    const bool same = std::all_of(values.begin(), values.end(),
                                  [&](const auto& value) { return value == values.front(); });
    if (!same) differences.push_back(std::move(difference));
  }
  return differences;
}

}  // namespace zoo
