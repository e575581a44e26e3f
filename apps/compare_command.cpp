#include <chrono>
#include <deque>
#include <iostream>

#include <nlohmann/json.hpp>

#include "analysis/comparison_files.h"
#include "analysis/comparison_tables.h"
#include "apps/command.h"
#include "apps/comparison_session.h"
#include "apps/table.h"
#include "apps/terminal.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/format.h"
#include "core/names.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

void print(TextTable text) {
  if (text.empty()) return;
  // The column of intervals is of words.
  for (auto& heading : text.front()) {
    if (heading.starts_with("behind")) heading = "<" + heading;
  }
  Table table(text.front());
  for (std::size_t row = 1; row < text.size(); ++row) table.add(text[row]);
  table.print(std::cout);
}

void print(const std::vector<ComparisonResults>& problems) {
  std::cout << problems.front().title << "\n\n";
  if (problems.size() == 1) {
    print(score_table(problems.front()));
    if (const auto reach = reach_table(problems.front()); !reach.empty()) {
      std::cout << "\nnorm of the gradient that reaches a token so far back\n\n";
      print(reach);
    }
    return;
  }
  for (const auto& [name, table] : matrices(problems)) {
    std::cout << name << "\n";
    print(table);
    std::cout << "\n";
  }
  std::cout << "* the best, or no difference to it is shown\n";
}

void write(const std::vector<ComparisonResults>& problems, const fs::path& folder) {
  replace_file(folder / "results.json", to_json(problems).dump(2) + "\n");
  replace_file(folder / "results.csv", to_csv(problems));
  replace_file(folder / "results.md", to_markdown(problems));
}

/// What the comparison adds to its runs.
void tell_times(const std::deque<ComparisonSession>& sessions,
                std::chrono::steady_clock::time_point started) {
  const auto passed = std::chrono::steady_clock::now() - started;
  double in_runs = 0.0;
  for (const auto& session : sessions) in_runs += session.seconds_in_runs();
  if (in_runs == 0.0) return;
  std::cerr << "runs took " << fixed_digits(in_runs, 1) << " s, all else "
            << fixed_digits(std::chrono::duration<double>(passed).count() - in_runs, 1) << " s\n";
}

int run(const cxxopts::ParseResult& arguments) {
  const auto started = std::chrono::steady_clock::now();
  const fs::path file = positional(arguments, "comparison");
  const auto comparison = read_comparison(file);
  const fs::path folder = arguments.count("out") > 0
                              ? fs::path(arguments["out"].as<std::string>())
                              : fs::path("runs") / ("compare-" + file.stem().string());
  listen_for_stop();
  std::deque<ComparisonSession> sessions;
  std::size_t all = 0;
  for (const auto& problem : comparison.problems) {
    sessions.emplace_back(comparison, problem,
                          problem.name.empty() ? folder : folder / folder_name(problem.name));
    all += sessions.back().size();
  }
  std::size_t first = 1;
  std::vector<std::string> failed;
  fs::path logs;  // of the first run that failed
  for (auto& session : sessions) {
    if (session.train(first, all)) {
      std::cerr << "go on with the same command; what is finished is kept\n";
      return kInterruptedExit;
    }
    first += session.size();
    if (failed.empty()) logs = session.logs();
    failed.insert(failed.end(), session.failed().begin(), session.failed().end());
  }
  std::vector<ComparisonResults> problems;
  for (const auto& session : sessions) problems.push_back(session.judge(problems));
  write(problems, folder);
  tell_times(sessions, started);
  if (arguments.count("json") > 0) {
    std::cout << to_json(problems).dump(2) << "\n";
  } else {
    print(problems);
    std::cout << "\n"
              << (folder / "results.md").string() << ", results.csv and results.json hold "
              << "all of it\n";
  }
  require<UserError>(failed.empty(),
                     "these runs failed, the rest is compared: ", join(failed, ", "), "; see ",
                     logs.string(), " and call again");
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
