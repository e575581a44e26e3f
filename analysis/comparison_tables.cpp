#include "analysis/comparison_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/format.h"

namespace zoo {
namespace {

constexpr int kDigits = 4;

std::string signed_digits(double value) {
  return (value < 0.0 ? "-" : "+") + fixed_digits(std::abs(value), kDigits);
}

std::string score_text(const ContenderResult& contender) {
  auto text = fixed_digits(contender.mean, kDigits);
  if (contender.runs.size() > 1) text += " ± " + fixed_digits(contender.deviation, kDigits);
  return text;
}

/// Tokens back that the table of gradients shows.
std::vector<std::size_t> shown_distances(std::size_t window) {
  std::vector<std::size_t> distances = {0};
  for (std::size_t back = 1; back < window; back *= 2) distances.push_back(back);
  if (distances.back() + 1 < window) distances.push_back(window - 1);
  return distances;
}

const ContenderResult* find(const ComparisonResults& results, const std::string& name) {
  for (const auto& contender : results.contenders) {
    if (contender.plan.name == name) return &contender;
  }
  return nullptr;
}

/// Contenders in the order in which problems first have them.
std::vector<std::string> names_of(const std::vector<ComparisonResults>& problems) {
  std::vector<std::string> names;
  for (const auto& problem : problems) {
    for (const auto& contender : problem.contenders) {
      const auto& name = contender.plan.name;
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

Matrix matrix(const std::vector<ComparisonResults>& problems, const std::string& name,
              const std::function<std::string(const ContenderResult&)>& cell) {
  TextTable table = {{"model"}};
  for (const auto& problem : problems) table.front().push_back(problem.problem);
  for (const auto& contender : names_of(problems)) {
    auto& row = table.emplace_back(std::vector<std::string>{contender});
    for (const auto& problem : problems) {
      const auto* found = find(problem, contender);
      row.push_back(found == nullptr ? "" : cell(*found));
    }
  }
  return {name, std::move(table)};
}

}  // namespace

std::string behind_text(const ContenderResult& contender) {
  if (!contender.behind) return "";
  const auto& interval = *contender.behind;
  if (interval.holds_zero()) return "no difference shown";
  return signed_digits(interval.low) + " to " + signed_digits(interval.high);
}

TextTable score_table(const ComparisonResults& results) {
  TextTable table = {{"model", results.yardstick.name, "behind the best, 95 %", "at the end",
                      "parameters", "FLOPs", "steps", "seconds", "tokens/s", "MiB"}};
  for (const auto& contender : results.contenders) {
    const auto mean = [&](auto value, int digits) {
      return fixed_digits(mean_of(contender, value), digits);
    };
    const auto flops = training_flops(contender);
    const bool counts = contender.plan.counts;  // then it has neither
    table.push_back({contender.plan.name, score_text(contender), behind_text(contender),
                     fixed_digits(contender.last_mean, kDigits),
                     with_commas(std::llround(mean_of(contender, &RunResult::parameters))),
                     counts ? "" : significant_digits(flops, 3),
                     with_commas(std::llround(mean_of(contender, &RunResult::steps))),
                     mean(&RunResult::seconds, 1),
                     counts ? "" : mean(&RunResult::tokens_per_second, 0),
                     fixed_digits(mean_of(contender, &RunResult::peak_bytes) / (1 << 20), 0)});
  }
  for (const auto& reference : results.references) {
    auto& row = table.emplace_back(table.front().size());
    row[0] = reference.name;
    row[1] = fixed_digits(reference.score, kDigits);
  }
  return table;
}

TextTable option_table(const ComparisonResults& results) {
  if (results.differences.empty()) return {};
  TextTable table = {{"option"}};
  for (const auto& contender : results.contenders) table.front().push_back(contender.plan.name);
  for (const auto& difference : results.differences) {
    auto& row = table.emplace_back(std::vector<std::string>{difference.key});
    row.insert(row.end(), difference.values.begin(), difference.values.end());
  }
  return table;
}

TextTable reach_table(const ComparisonResults& results) {
  TextTable table;
  for (const auto& contender : results.contenders) {
    const auto& first = contender.runs.front().gradient_reach;
    if (first.empty()) continue;
    const auto distances = shown_distances(first.size());
    if (table.empty()) {
      table.push_back({"tokens back"});
      for (const auto back : distances) table.front().push_back(std::to_string(back));
    }
    auto& row = table.emplace_back(std::vector<std::string>{contender.plan.name});
    for (const auto back : distances) {
      double sum = 0.0;
      for (const auto& run : contender.runs) sum += run.gradient_reach[back];
      row.push_back(significant_digits(sum / static_cast<double>(contender.runs.size()), 2));
    }
  }
  return table;
}

std::vector<Matrix> matrices(const std::vector<ComparisonResults>& problems) {
  const auto& yardstick = problems.front().yardstick;
  return {matrix(problems, yardstick.name,
                 [](const auto& contender) {
                   const bool leads = !contender.behind || contender.behind->holds_zero();
                   return score_text(contender) + (leads ? " *" : "");
                 }),
          matrix(problems, "milliseconds a step",
                 [](const auto& contender) {
                   const auto milliseconds = mean_of(contender, &RunResult::step_milliseconds);
                   return milliseconds > 0.0 ? fixed_digits(milliseconds, 2) : "";
                 }),
          matrix(problems, "parameters", [](const auto& contender) {
            return with_commas(std::llround(mean_of(contender, &RunResult::parameters)));
          })};
}

}  // namespace zoo
