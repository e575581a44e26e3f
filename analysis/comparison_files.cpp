#include "analysis/comparison_files.h"

#include <sstream>

#include <nlohmann/json.hpp>

#include "analysis/comparison_tables.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

/// A cell of a CSV file (RFC 4180).
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Json json_of(const RunResult& run) {
  Json json = {{"folder", run.folder.string()},
               {"seed", run.seed},
               {"best", run.best.score()},
               {"last", run.last_score},
               {"parameters", run.parameters},
               {"steps", run.steps},
               {"seconds", run.seconds},
               {"step_ms", run.step_milliseconds},
               {"tokens_per_second", run.tokens_per_second},
               {"peak_bytes", run.peak_bytes}};
  if (!run.gradient_reach.empty()) json["gradient_reach"] = run.gradient_reach;
  return json;
}

Json json_of(const ContenderResult& contender) {
  auto row = to_json(contender.plan);
  row["mean"] = contender.mean;
  row["deviation"] = contender.deviation;
  row["last_mean"] = contender.last_mean;
  row["training_flops"] = training_flops(contender);
  if (contender.behind) {
    row["behind_best"] = {contender.behind->low, contender.behind->high};
    row["difference_shown"] = !contender.behind->holds_zero();
  }
  for (const auto& run : contender.runs) row["runs"].push_back(json_of(run));
  return row;
}

Json json_of(const ComparisonResults& results) {
  Json json = {{"title", results.title},
               {"split", results.split},
               {"yardstick", results.yardstick.name},
               {"higher_is_better", results.yardstick.higher_is_better},
               {"rows", Json::array()},
               {"references", Json::array()},
               {"differences", Json::object()}};
  for (const auto& contender : results.contenders) json["rows"].push_back(json_of(contender));
  for (const auto& reference : results.references) {
    json["references"].push_back({{"name", reference.name}, {"score", reference.score}});
  }
  for (const auto& difference : results.differences) {
    json["differences"][difference.key] = difference.values;
  }
  return json;
}

std::string markdown(const TextTable& table) {
  std::string text;
  const auto add = [&](const std::vector<std::string>& cells) {
    text += "|";
    for (const auto& cell : cells) text += " " + cell + " |";
    text += "\n";
  };
  add(table.front());
  add(std::vector<std::string>(table.front().size(), "---"));
  for (std::size_t row = 1; row < table.size(); ++row) add(table[row]);
  return text;
}

void add_tables(const ComparisonResults& results, std::ostream& text) {
  text << markdown(score_table(results)) << "\n"
       << (results.yardstick.higher_is_better ? "Higher" : "Lower") << " is better, on "
       << results.split
       << ". Mean and standard deviation of the best checkpoints over the seeds; intervals by a\n"
          "paired bootstrap over the examples.\n";
  if (const auto reach = reach_table(results); !reach.empty()) {
    text << "\nNorm of the gradient of the loss after a window's last token, by the tokens that an "
            "embedding stands\nbefore it:\n\n"
         << markdown(reach);
  }
  if (const auto options = option_table(results); !options.empty()) {
    text << "\n" << markdown(options);
  }
}

}  // namespace

Json to_json(const std::vector<ComparisonResults>& problems) {
  if (problems.size() == 1) return json_of(problems.front());
  Json json = {{"title", problems.front().title}, {"problems", Json::array()}};
  for (const auto& results : problems) {
    auto one = json_of(results);
    one["problem"] = results.problem;
    json["problems"].push_back(std::move(one));
  }
  return json;
}

std::string to_csv(const std::vector<ComparisonResults>& problems) {
  std::ostringstream csv;
  csv << "problem,name,seed,best,last,parameters,training_flops,steps,seconds,step_ms,tokens_per_"
         "second,"
         "peak_bytes,folder\n";
  csv.precision(10);
  for (const auto& results : problems) {
    const auto problem = csv_cell(results.problem);
    for (const auto& contender : results.contenders) {
      for (const auto& run : contender.runs) {
        const auto flops = contender.plan.flops_per_step * static_cast<double>(run.steps);
        csv << problem << "," << csv_cell(contender.plan.name) << "," << run.seed << ","
            << run.best.score() << "," << run.last_score << "," << run.parameters << "," << flops
            << "," << run.steps << "," << run.seconds << "," << run.step_milliseconds << ","
            << run.tokens_per_second << "," << run.peak_bytes << ","
            << csv_cell(run.folder.string()) << "\n";
      }
    }
    for (const auto& reference : results.references) {
      csv << problem << "," << csv_cell(reference.name) << ",," << reference.score << ",,,,,,,,,\n";
    }
  }
  return csv.str();
}

std::string to_markdown(const std::vector<ComparisonResults>& problems) {
  std::ostringstream text;
  text << "# " << problems.front().title << "\n\n";
  if (problems.size() == 1) {
    add_tables(problems.front(), text);
    return text.str();
  }
  for (const auto& [name, table] : matrices(problems)) {
    text << name << ":\n\n" << markdown(table) << "\n";
  }
  text << "A star marks the best of a column, and those to which no difference to it is shown.\n";
  for (const auto& results : problems) {
    text << "\n## " << results.problem << "\n\n";
    add_tables(results, text);
  }
  return text.str();
}

}  // namespace zoo
