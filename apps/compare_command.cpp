#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include <nlohmann/json.hpp>

#include "analysis/comparison_results.h"
#include "apps/child_process.h"
#include "apps/command.h"
#include "apps/table.h"
#include "apps/terminal.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/format.h"
#include "core/json_file.h"
#include "core/names.h"
#include "core/sha256.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A step of the trial that a budget of seconds is planned by.
constexpr const char* kTrialSteps = "40";

/// What a plan was made for.
std::string identity_of(const Comparison& comparison) {
  Json parts = {{"split", comparison.split}, {"budget", write_options(comparison.budget)}};
  for (const auto& contender : comparison.contenders) {
    parts["contenders"].push_back({contender.name, contender.config.to_json(), contender.scale});
  }
  return sha256(parts.dump());
}

/// Arguments that make this program read a contender's config as the comparison has it.
std::vector<std::string> config_arguments(const Contender& contender,
                                          const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = {contender.raw.file.string()};
  const auto set = [&](const std::string& setting) {
    arguments.insert(arguments.end(), {"--set", setting});
  };
  for (const auto& setting : contender.settings) set(setting);
  for (const auto& setting : settings) set(setting);
  return arguments;
}

/// One comparison in its folder.
class Session {
 public:
  Session(Comparison comparison, fs::path folder)
      : comparison_(std::move(comparison)), folder_(std::move(folder)) {
    make_folders(folder_);
    lock_.emplace(folder_);
    read_or_make_plan();
    const auto measured = folder_ / "measured.json";
    if (fs::exists(measured)) measured_ = read_json_file(measured);
  }

  /// Trains what is not finished yet. Returns whether a stop was asked for.
  bool train() {
    const auto runs = planned_runs(comparison_, folder_);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (fs::exists(runs[i].folder / "summary.json")) continue;
      const auto name = runs[i].folder.filename().string();
      std::cerr << "[" << i + 1 << "/" << runs.size() << "] " << name << std::flush;
      const auto child = run_this_program(train_arguments(runs[i]), logs() / name);
      if (child.code == kInterruptedExit || stop_requested()) {
        std::cerr << ": stopped\n";
        return true;
      }
      if (child.code != kDone) {
        std::cerr << ": failed (" << child.code << "): " << child.error << "\n";
        failed_.push_back(name);
        continue;
      }
      measured_[name] = child.peak_bytes;
      replace_file(folder_ / "measured.json", measured_.dump(2) + "\n");
      const auto summary = read_json_file(runs[i].folder / "summary.json");
      std::cerr << ": " << fixed_digits(summary.value("seconds", 0.0), 1) << " s\n";
    }
    return false;
  }

  ComparisonResults judge() {
    ComparisonResults results;
    results.title = comparison_.title;
    results.split = comparison_.split;
    results.yardstick = yardstick_of(comparison_.contenders.front().config);
    std::map<std::size_t, ContenderResult> contenders;
    for (const auto& run : planned_runs(comparison_, folder_)) {
      if (!fs::exists(run.folder / "summary.json")) continue;
      auto& contender = contenders[run.contender];
      contender.plan = plans_[run.contender];
      contender.runs.push_back(judged_run(run, comparison_.split));
      contender.runs.back().peak_bytes =
          measured_.value(run.folder.filename().string(), std::int64_t{0});
    }
    for (auto& [index, contender] : contenders) results.contenders.push_back(std::move(contender));
    rank(results);
    results.differences = differences(results);
    const auto experiment = make_experiment(comparison_.contenders.front().config);
    results.references = references_of(experiment, comparison_.split);
    return results;
  }

  void write(const ComparisonResults& results) const {
    replace_file(folder_ / "results.json", to_json(results).dump(2) + "\n");
    replace_file(folder_ / "results.csv", to_csv(results));
    replace_file(folder_ / "results.md", to_markdown(results));
  }

  const fs::path& folder() const { return folder_; }
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  fs::path logs() const { return folder_ / "logs"; }

  void read_or_make_plan() {
    const auto file = folder_ / "plan.json";
    const auto identity = identity_of(comparison_);
    if (fs::exists(file)) {
      const auto json = read_json_file(file);
      require<UserError>(json.value("identity", "") == identity, file.string(),
                         ": was made for other configs, data or another budget; choose another "
                         "--out, or remove ",
                         folder_.string());
      for (const auto& plan : json.value("contenders", Json::array())) {
        plans_.push_back(planned_from_json(plan, file.string()));
      }
      require<UserError>(plans_.size() == comparison_.contenders.size(), file.string(),
                         ": is cut short; remove it");
      return;
    }
    make_folders(logs());
    Json json = {{"identity", identity}};
    for (const auto& contender : comparison_.contenders) {
      plans_.push_back(
          planned(contender, comparison_.budget, [this](const auto& one, const auto& settings) {
            return milliseconds_of_step(one, settings);
          }));
      json["contenders"].push_back(to_json(plans_.back()));
    }
    replace_file(file, json.dump(2) + "\n");
  }

  double milliseconds_of_step(const Contender& contender,
                              const std::vector<std::string>& settings) const {
    std::cerr << "trying a step of " << contender.name << std::flush;
    std::vector<std::string> arguments = {"bench"};
    const auto config = config_arguments(contender, settings);
    arguments.insert(arguments.end(), config.begin(), config.end());
    arguments.insert(arguments.end(), {"--steps", kTrialSteps, "--json"});
    const auto child = run_this_program(arguments, logs() / "trial");
    require<UserError>(child.code == kDone, contender.name, ": cannot be tried: ", child.error);
    const auto milliseconds = parse_json(child.out, "trial").at("step_ms").get<double>();
    std::cerr << ": " << fixed_digits(milliseconds, 2) << " ms\n";
    return milliseconds;
  }

  std::vector<std::string> train_arguments(const PlannedRun& run) const {
    std::error_code ignored;
    if (fs::exists(run.folder / "checkpoints" / "last"))
      return {"resume", run.folder.string(), "--quiet"};
    fs::remove_all(run.folder, ignored);  // stopped before there was anything to go on from
    std::vector<std::string> arguments = {"train"};
    auto settings = plans_[run.contender].settings;
    settings.push_back("seed=" + std::to_string(run.seed));
    const auto config = config_arguments(comparison_.contenders[run.contender], settings);
    arguments.insert(arguments.end(), config.begin(), config.end());
    arguments.insert(arguments.end(), {"--out", run.folder.string(), "--quiet"});
    return arguments;
  }

  std::vector<Difference> differences(const ComparisonResults& results) const {
    std::vector<const Contender*> contenders;
    std::vector<const PlannedContender*> plans;
    for (const auto& result : results.contenders) {
      for (std::size_t i = 0; i < plans_.size(); ++i) {
        if (plans_[i].name != result.plan.name) continue;
        contenders.push_back(&comparison_.contenders[i]);
        plans.push_back(&plans_[i]);
      }
    }
    return differences_of(contenders, plans);
  }

  Comparison comparison_;
  fs::path folder_;
  std::optional<FolderLock> lock_;
  std::vector<PlannedContender> plans_;
  Json measured_ = Json::object();  // peak bytes of each run
  std::vector<std::string> failed_;
};

std::string exponential(double value) {
  std::ostringstream text;
  text << std::scientific << std::setprecision(2) << value;
  return value > 0.0 ? text.str() : "";
}

void print(const ComparisonResults& results) {
  std::cout << results.title << "\n\n";
  Table table({"model", results.yardstick.name, "<behind the best, 95 %", "at the end",
               "parameters", "FLOPs", "steps", "seconds", "MiB"});
  for (const auto& contender : results.contenders) {
    const auto& run = contender.runs.front();
    auto score = fixed_digits(contender.mean, 4);
    if (contender.runs.size() > 1) score += " ± " + fixed_digits(contender.deviation, 4);
    table.add({contender.plan.name, score, behind_text(contender),
               fixed_digits(contender.last_mean, 4), with_commas(contender.plan.parameters),
               exponential(contender.plan.flops_per_step * static_cast<double>(run.steps)),
               with_commas(run.steps), fixed_digits(run.seconds, 1),
               with_commas(run.peak_bytes >> 20)});
  }
  for (const auto& reference : results.references) {
    table.add({reference.name, fixed_digits(reference.score, 4), "", "", "", "", "", "", ""});
  }
  table.print(std::cout);
}

int run(const cxxopts::ParseResult& arguments) {
  const fs::path file = positional(arguments, "comparison");
  auto comparison = read_comparison(file);
  const fs::path folder = arguments.count("out") > 0
                              ? fs::path(arguments["out"].as<std::string>())
                              : fs::path("runs") / ("compare-" + file.stem().string());
  listen_for_stop();
  Session session(std::move(comparison), folder);
  if (session.train()) {
    std::cerr << "go on with the same command; what is finished is kept\n";
    return kInterruptedExit;
  }
  const auto results = session.judge();
  session.write(results);
  if (arguments.count("json") > 0) {
    std::cout << to_json(results).dump(2) << "\n";
  } else {
    print(results);
    std::cout << "\n"
              << (folder / "results.md").string() << ", results.csv and results.json hold "
              << "all of it\n";
  }
  require<UserError>(session.failed().empty(),
                     "these runs failed, the rest is compared: ", join(session.failed(), ", "),
                     "; see ", (folder / "logs").string(), " and call again");
  return kDone;
}

}  // namespace

Command compare_command() {
  return {"compare",
          "COMPARISON",
          "Trains and judges several configs on the same data, under one budget, by seeds",
          "zoo compare configs/compare/names-parameters.json --out runs/names",
          [](cxxopts::Options& options) {
            options.add_options()("comparison", "What to compare", cxxopts::value<std::string>())(
                "out", "Folder of the runs and the results; default runs/compare-NAME",
                cxxopts::value<std::string>(), "DIR");
            add_json_option(options);
            options.parse_positional({"comparison"});
          },
          run};
}

}  // namespace zoo
