#include "apps/comparison_session.h"

#include <iostream>
#include <map>
#include <system_error>

#include "apps/child_process.h"
#include "apps/command.h"
#include "apps/terminal.h"
#include "core/errors.h"
#include "core/format.h"
#include "core/json_file.h"
#include "core/sha256.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Steps of the trial that a budget of seconds is planned by.
constexpr const char* kTrialSteps = "40";

/// What a plan was made for.
std::string identity_of(const Comparison& comparison, const Problem& problem) {
  Json parts = {{"split", comparison.split}, {"budget", write_options(comparison.budget)}};
  for (const auto& contender : problem.contenders) {
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

bool is_finished(const PlannedRun& run) { return fs::exists(run.folder / "summary.json"); }

}  // namespace

ComparisonSession::ComparisonSession(const Comparison& comparison, const Problem& problem,
                                     fs::path folder)
    : comparison_(comparison), problem_(problem), folder_(std::move(folder)) {
  make_folders(folder_);
  lock_.emplace(folder_);
  const auto file = folder_ / "plan.json";
  const auto identity = identity_of(comparison, problem);
  fs::exists(file) ? read_plan(file, identity) : make_plan(file, identity);
  runs_ = planned_runs(problem, comparison.seeds, folder_);
  const auto measured = folder_ / "measured.json";
  if (fs::exists(measured)) measured_ = read_json_file(measured);
}

void ComparisonSession::read_plan(const fs::path& file, const std::string& identity) {
  const auto json = read_json_file(file);
  require<UserError>(json.value("identity", "") == identity, file.string(),
                     ": was made for other configs, data or another budget; choose another "
                     "--out, or remove ",
                     folder_.string());
  for (const auto& plan : json.value("contenders", Json::array())) {
    plans_.push_back(planned_from_json(plan, file.string()));
  }
  require<UserError>(plans_.size() == problem_.contenders.size(), file.string(),
                     ": is cut short; remove it");
}

void ComparisonSession::make_plan(const fs::path& file, const std::string& identity) {
  make_folders(logs());
  Json json = {{"identity", identity}};
  for (const auto& contender : problem_.contenders) {
    plans_.push_back(
        planned(contender, comparison_.budget, [this](const auto& one, const auto& settings) {
          return milliseconds_of_step(one, settings);
        }));
    json["contenders"].push_back(to_json(plans_.back()));
  }
  replace_file(file, json.dump(2) + "\n");
}

double ComparisonSession::milliseconds_of_step(const Contender& contender,
                                               const std::vector<std::string>& settings) const {
  std::cerr << "trying a step of " << contender.name << std::flush;
  std::vector<std::string> arguments = {"bench"};
  const auto config = config_arguments(contender, settings);
  arguments.insert(arguments.end(), config.begin(), config.end());
  arguments.insert(arguments.end(), {"--steps", kTrialSteps, "--time-only", "--json"});
  const auto child = run_this_program(arguments, logs() / "trial");
  require<UserError>(child.code == kDone, contender.name, ": cannot be tried: ", child.error);
  const auto milliseconds = parse_json(child.out, "trial").at("step_ms").get<double>();
  std::cerr << ": " << fixed_digits(milliseconds, 2) << " ms\n";
  return milliseconds;
}

std::vector<std::string> ComparisonSession::train_arguments(const PlannedRun& run) const {
  std::error_code ignored;
  if (fs::exists(run.folder / "checkpoints" / "last"))
    return {"resume", run.folder.string(), "--quiet"};
  fs::remove_all(run.folder, ignored);  // stopped before there was anything to go on from
  std::vector<std::string> arguments = {"train"};
  auto settings = plans_[run.contender].settings;
  settings.push_back("seed=" + std::to_string(run.seed));
  const auto config = config_arguments(problem_.contenders[run.contender], settings);
  arguments.insert(arguments.end(), config.begin(), config.end());
  arguments.insert(arguments.end(), {"--out", run.folder.string(), "--quiet"});
  return arguments;
}

bool ComparisonSession::train(std::size_t first, std::size_t all) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    if (is_finished(runs_[i])) continue;
    const auto name = runs_[i].folder.filename().string();
    std::cerr << "[" << first + i << "/" << all << "] "
              << (problem_.name.empty() ? "" : problem_.name + ": ") << name << std::flush;
    const auto child = run_this_program(train_arguments(runs_[i]), logs() / name);
    seconds_in_runs_ += child.seconds;
    if (child.code == kInterruptedExit || stop_requested()) {
      std::cerr << ": stopped\n";
      return true;
    }
    if (child.code != kDone) {
      std::cerr << (child.code > 128 ? text_of(": ended by signal ", child.code - 128)
                                     : text_of(": failed (", child.code, "): ", child.error))
                << "\n";
      failed_.push_back(name);
      continue;
    }
    measured_[name] = child.peak_bytes;
    replace_file(folder_ / "measured.json", measured_.dump(2) + "\n");
    const auto summary = read_json_file(runs_[i].folder / "summary.json");
    std::cerr << ": " << fixed_digits(summary.value("seconds", 0.0), 1) << " s\n";
  }
  return false;
}

ComparisonResults ComparisonSession::judge(const std::vector<ComparisonResults>& earlier) const {
  ComparisonResults results;
  results.title = comparison_.title;
  results.problem = problem_.name;
  results.split = comparison_.split;
  results.yardstick = yardstick_of(problem_.contenders.front().config);
  std::map<std::size_t, ContenderResult> contenders;
  for (const auto& run : runs_) {
    if (!is_finished(run)) continue;
    auto& contender = contenders[run.contender];
    contender.plan = plans_[run.contender];
    contender.runs.push_back(judged_run(run, comparison_.split, comparison_.gradient_reach));
    contender.runs.back().peak_bytes =
        measured_.value(run.folder.filename().string(), std::int64_t{0});
  }
  for (auto& [index, contender] : contenders) results.contenders.push_back(std::move(contender));
  rank(results);
  results.differences = differences(results);
  results.references = references(earlier);
  return results;
}

std::vector<Reference> ComparisonSession::references(
    const std::vector<ComparisonResults>& earlier) const {
  const auto& config = problem_.contenders.front().config;
  for (std::size_t i = 0; i < earlier.size(); ++i) {
    const auto& other = comparison_.problems[i].contenders.front().config;
    if (have_same_references(config, other)) return earlier[i].references;
  }
  return references_of(make_experiment(config), comparison_.split);
}

std::vector<Difference> ComparisonSession::differences(const ComparisonResults& results) const {
  std::vector<const Contender*> contenders;
  std::vector<const PlannedContender*> plans;
  for (const auto& result : results.contenders) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].name != result.plan.name) continue;
      contenders.push_back(&problem_.contenders[i]);
      plans.push_back(&plans_[i]);
    }
  }
  return differences_of(contenders, plans);
}

}  // namespace zoo
