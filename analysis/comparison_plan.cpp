#include "analysis/comparison_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "analysis/cost.h"
#include "core/errors.h"
#include "training/experiment.h"

namespace zoo {
namespace {

/// How far a model's parameters may be from the budget's.
constexpr double kTolerance = 0.03;
constexpr std::int64_t kWidest = 1 << 16;
/// Training batches whose tokens are counted.
constexpr std::int64_t kCountedBatches = 50;
/// Evaluations of a run, so that its best checkpoint means something.
constexpr std::int64_t kEvaluations = 10;

RawConfig with(const Contender& contender, const std::vector<std::string>& settings) {
  auto raw = contender.raw;
  apply_settings(raw, settings);
  return raw;
}

Config located_config(const RawConfig& raw) {
  auto config = resolve_config(raw);
  locate_data(raw, config);
  return config;
}

/// Parameters at a width; none where the config does not allow it.
std::optional<std::int64_t> parameters_at(const Contender& contender, const DataFacts& facts,
                                          std::int64_t width) {
  try {
    const auto config =
        resolve_config(with(contender, {contender.scale + "=" + std::to_string(width)}));
    return parameter_count(
        *find_architecture(config.general.architecture).build(config.model, facts));
  } catch (const ConfigError&) {
    return std::nullopt;
  }
}

struct Fit {
  std::int64_t width = 0;
  std::int64_t parameters = 0;
};

/// The width, a multiple of `step`, whose parameters come nearest to the target; they grow with it.
std::optional<Fit> nearest_fit(const Contender& contender, const DataFacts& facts,
                               std::int64_t target, std::int64_t step) {
  std::optional<Fit> best;
  /// Whether the model of a width, in steps, is smaller than the target; none: there is no such.
  const auto smaller = [&](std::int64_t steps) -> std::optional<bool> {
    const auto parameters = parameters_at(contender, facts, steps * step);
    if (!parameters) return std::nullopt;
    const Fit fit{steps * step, *parameters};
    const auto distance = [&](const Fit& one) { return std::abs(one.parameters - target); };
    if (!best || distance(fit) < distance(*best)) best = fit;
    return *parameters < target;
  };
  // Doubled until it is too wide, so that no model is made that is much larger than wanted.
  std::int64_t low = 1;
  std::int64_t high = 1;
  while (high * step <= kWidest && smaller(high).value_or(false)) {
    low = high;
    high *= 2;
  }
  while (low + 1 < high) {
    const auto middle = std::midpoint(low, high);
    const auto is_smaller = smaller(middle);
    if (!is_smaller) break;
    (*is_smaller ? low : high) = middle;
  }
  return best;
}

Fit width_for(const Contender& contender, const DataFacts& facts, std::int64_t target) {
  Fit best{0, std::numeric_limits<std::int64_t>::max() / 2};
  for (const std::int64_t step : {16, 8, 4, 2, 1}) {
    const auto fit = nearest_fit(contender, facts, target, step);
    if (!fit) continue;
    if (std::abs(fit->parameters - target) < std::abs(best.parameters - target)) best = *fit;
    const auto off = std::abs(static_cast<double>(fit->parameters - target));
    if (off <= kTolerance * static_cast<double>(target)) return *fit;
  }
  throw UserError(text_of(contender.name, ": no value of ", contender.scale, " gives ", target,
                          " parameters within 3 %; the nearest, ", best.width, ", gives ",
                          best.parameters, "; change the budget, or other options of the model"));
}

double tokens_per_step(const Experiment& experiment) {
  const auto batches = experiment.training_batches();
  const auto count = std::min(kCountedBatches, batches->size());
  double tokens = 0.0;
  for (std::int64_t number = 0; number < count; ++number) {
    tokens += batches->at(number).targets.ne(kIgnored).sum().item<double>();
  }
  return tokens / static_cast<double>(count) *
         static_cast<double>(experiment.config.training.accumulate);
}

double flops_per_step(const Experiment& experiment) {
  const auto batch = experiment.training_batches()->at(0);
  const auto cost = measure_cost(*experiment.model, batch.inputs, experiment.config.optimizer.type);
  return static_cast<double>(cost.flops_training) * static_cast<double>(batch.targets.size(0)) *
         static_cast<double>(experiment.config.training.accumulate);
}

std::int64_t steps_for(double budget, double per_step, const std::string& name, const char* what) {
  const auto steps = static_cast<std::int64_t>(std::min(budget / per_step, 1e18));
  require<UserError>(steps >= 1, name, ": the budget of ", budget, " ", what,
                     " is used up by a single step, which takes ", per_step, "; raise it");
  return steps;
}

/// What makes a run as long as its budget, and its schedule fit.
std::vector<std::string> length_settings(const Config& config, std::int64_t steps) {
  std::vector<std::string> settings = {
      "training.epochs=null", "training.max_steps=" + std::to_string(steps),
      "training.evaluate_every=" + std::to_string(std::max<std::int64_t>(1, steps / kEvaluations))};
  if (config.schedule.warmup_steps >= steps) {
    settings.push_back("schedule.warmup_steps=" + std::to_string(steps / 10));
  }
  return settings;
}

}  // namespace

PlannedContender planned(const Contender& contender, const Budget& budget, const StepTimer& time) {
  PlannedContender plan;
  plan.name = contender.name;
  auto experiment = make_experiment(contender.config);
  if (budget.parameters && !contender.scale.empty()) {
    const auto fit = width_for(contender, experiment.facts, *budget.parameters);
    plan.settings.push_back(contender.scale + "=" + std::to_string(fit.width));
    experiment.config = located_config(with(contender, plan.settings));
    experiment.model = experiment.architecture.build(experiment.config.model, experiment.facts);
    experiment.model->to(experiment.device);
  }
  plan.counts = dynamic_cast<const Counted*>(experiment.model.get()) != nullptr;
  plan.parameters = parameter_count(*experiment.model);
  if (plan.counts) return plan;
  plan.flops_per_step = flops_per_step(experiment);
  if (budget.steps) plan.steps = *budget.steps;
  if (budget.tokens) {
    plan.steps = steps_for(static_cast<double>(*budget.tokens), tokens_per_step(experiment),
                           plan.name, "tokens");
  }
  if (budget.flops) {
    plan.steps = steps_for(*budget.flops, plan.flops_per_step, plan.name, "FLOPs");
  }
  if (budget.seconds) {
    plan.steps =
        steps_for(1e3 * *budget.seconds, time(contender, plan.settings), plan.name, "milliseconds");
  }
  if (plan.steps > 0) {
    for (auto& setting : length_settings(experiment.config, plan.steps)) {
      plan.settings.push_back(std::move(setting));
    }
  }
  return plan;
}

std::vector<PlannedRun> planned_runs(const Problem& problem, const std::vector<std::int64_t>& seeds,
                                     const std::filesystem::path& folder) {
  std::vector<PlannedRun> runs;
  for (const auto seed : seeds) {
    for (std::size_t i = 0; i < problem.contenders.size(); ++i) {
      const auto name = text_of(problem.contenders[i].name, " seed ", seed);
      runs.push_back({i, seed, folder / folder_name(name)});
    }
  }
  return runs;
}

nlohmann::json to_json(const PlannedContender& planned) {
  return {{"name", planned.name},
          {"settings", planned.settings},
          {"parameters", planned.parameters},
          {"steps", planned.steps},
          {"flops_per_step", planned.flops_per_step},
          {"counts", planned.counts}};
}

PlannedContender planned_from_json(const nlohmann::json& json, const std::string& source) {
  try {
    return {json.at("name").get<std::string>(),
            json.at("settings").get<std::vector<std::string>>(),
            json.at("parameters").get<std::int64_t>(),
            json.at("steps").get<std::int64_t>(),
            json.at("flops_per_step").get<double>(),
            json.at("counts").get<bool>()};
  } catch (const nlohmann::json::exception&) {
    throw UserError(source + ": is not a plan of a comparison; remove it to make the plan anew");
  }
}

}  // namespace zoo
