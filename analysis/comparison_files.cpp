#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "analysis/comparison_results.h"
#include "core/errors.h"
#include "core/format.h"

namespace zoo {
namespace {

constexpr int kDigits = 4;

std::string signed_digits(double value) {
  return (value < 0.0 ? "-" : "+") + fixed_digits(std::abs(value), kDigits);
}

/// A cell of a CSV file (RFC 4180).
std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

template <class Value>
double mean_of(const ContenderResult& contender, Value RunResult::*value) {
  double sum = 0.0;
  for (const auto& run : contender.runs) sum += static_cast<double>(run.*value);
  return sum / static_cast<double>(contender.runs.size());
}

double training_flops(const ContenderResult& contender) {
  return contender.plan.flops_per_step * mean_of(contender, &RunResult::steps);
}

std::string row_of(const ContenderResult& contender) {
  std::ostringstream row;
  row << "| " << contender.plan.name << " | " << fixed_digits(contender.mean, kDigits);
  if (contender.runs.size() > 1) row << " ± " << fixed_digits(contender.deviation, kDigits);
  row << " | " << behind_text(contender) << " | " << fixed_digits(contender.last_mean, kDigits)
      << " | " << contender.plan.parameters << " | " << training_flops(contender) << " | "
      << fixed_digits(mean_of(contender, &RunResult::steps), 0) << " | "
      << fixed_digits(mean_of(contender, &RunResult::seconds), 1) << " | "
      << fixed_digits(mean_of(contender, &RunResult::tokens_per_second), 0) << " | "
      << fixed_digits(mean_of(contender, &RunResult::peak_bytes) / (1 << 20), 0) << " |\n";
  return row.str();
}

}  // namespace

std::string behind_text(const ContenderResult& contender) {
  if (!contender.behind) return "";
  const auto& interval = *contender.behind;
  if (interval.holds_zero()) return "no difference shown";
  return signed_digits(interval.low) + " to " + signed_digits(interval.high);
}

nlohmann::json to_json(const ComparisonResults& results) {
  nlohmann::json json = {{"title", results.title},
                         {"split", results.split},
                         {"yardstick", results.yardstick.name},
                         {"higher_is_better", results.yardstick.higher_is_better},
                         {"rows", nlohmann::json::array()},
                         {"references", nlohmann::json::array()},
                         {"differences", nlohmann::json::object()}};
  for (const auto& contender : results.contenders) {
    auto row = to_json(contender.plan);
    row["mean"] = contender.mean;
    row["deviation"] = contender.deviation;
    row["last_mean"] = contender.last_mean;
    row["training_flops"] = training_flops(contender);
    if (contender.behind) {
      row["behind_best"] = {contender.behind->low, contender.behind->high};
      row["difference_shown"] = !contender.behind->holds_zero();
    }
    for (const auto& run : contender.runs) {
      row["runs"].push_back({{"folder", run.folder.string()},
                             {"seed", run.seed},
                             {"best", run.best.score()},
                             {"last", run.last_score},
                             {"steps", run.steps},
                             {"seconds", run.seconds},
                             {"tokens_per_second", run.tokens_per_second},
                             {"peak_bytes", run.peak_bytes}});
    }
    json["rows"].push_back(std::move(row));
  }
  for (const auto& reference : results.references) {
    json["references"].push_back({{"name", reference.name}, {"score", reference.score}});
  }
  for (const auto& difference : results.differences) {
    json["differences"][difference.key] = difference.values;
  }
  return json;
}

std::string to_csv(const ComparisonResults& results) {
  std::ostringstream csv;
  csv << "name,seed,best,last,parameters,training_flops,steps,seconds,tokens_per_second,peak_bytes,"
         "folder\n";
  csv.precision(10);
  for (const auto& contender : results.contenders) {
    for (const auto& run : contender.runs) {
      csv << cell(contender.plan.name) << "," << run.seed << "," << run.best.score() << ","
          << run.last_score << "," << contender.plan.parameters << ","
          << contender.plan.flops_per_step * static_cast<double>(run.steps) << "," << run.steps
          << "," << run.seconds << "," << run.tokens_per_second << "," << run.peak_bytes << ","
          << cell(run.folder.string()) << "\n";
    }
  }
  for (const auto& reference : results.references) {
    csv << cell(reference.name) << ",," << reference.score << ",,,,,,,,\n";
  }
  return csv.str();
}

std::string to_markdown(const ComparisonResults& results) {
  std::ostringstream text;
  text << "# " << results.title << "\n\n"
       << "| model | " << results.yardstick.name << " on " << results.split
       << " | behind the best, 95 % | at the end | parameters | training FLOPs | steps | seconds | "
          "tokens/s | peak MiB |\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const auto& contender : results.contenders) text << row_of(contender);
  for (const auto& reference : results.references) {
    text << "| " << reference.name << " | " << fixed_digits(reference.score, kDigits)
         << " | | | | | | | | |\n";
  }
  text << "\n"
       << (results.yardstick.higher_is_better ? "Higher" : "Lower")
       << " is better. Mean and standard deviation of the best checkpoints over the seeds; "
          "intervals "
          "by a paired\nbootstrap over the examples of "
       << results.split << ".\n";
  if (results.differences.empty()) return text.str();
  text << "\n| option |";
  for (const auto& contender : results.contenders) text << " " << contender.plan.name << " |";
  text << "\n|---|";
  for (std::size_t i = 0; i < results.contenders.size(); ++i) text << "---|";
  text << "\n";
  for (const auto& difference : results.differences) {
    text << "| `" << difference.key << "` |";
    for (const auto& value : difference.values) text << " " << value << " |";
    text << "\n";
  }
  return text.str();
}

}  // namespace zoo
