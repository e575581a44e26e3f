// Every architecture, present and future, resumes bit for bit: no architecture is named here.
#include <algorithm>
#include <cmath>
#include <sstream>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_threads.h"
#include "tests/support/torch_training.h"
#include "training/run_comparison.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSteps = 8;
constexpr std::int64_t kWarmUp = 4;
/// Batches of an epoch; no multiple of what is accumulated.
constexpr std::int64_t kEpoch = 3;

/// Where a run is cut.
enum class Cut { kInWarmUp, kWithinEpoch, kAfterEpoch, kAfterBest };
constexpr Cut kCuts[] = {Cut::kInWarmUp, Cut::kWithinEpoch, Cut::kAfterEpoch, Cut::kAfterBest};

struct Cell {
  const char* optimizer;
  const char* dropout;
  std::int64_t accumulate;
  int threads;
  Cut cut;
};

/// By the numbers 0 and 1 of its options.
Cell cell(unsigned optimizer, unsigned dropout, unsigned accumulate, unsigned threads, Cut cut) {
  static constexpr const char* kOptimizers[] = {"adamw", "sgd"};
  static constexpr const char* kDropouts[] = {"0", "0.1"};
  return {kOptimizers[optimizer], kDropouts[dropout], accumulate == 0 ? 1 : 4,
          static_cast<int>(threads) + 1, cut};
}

/// An orthogonal array: every pair of values of every two options, in 8 of the 64 cells.
std::vector<Cell> pairwise_cells() {
  std::vector<Cell> cells;
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned a = 0; a < 2; ++a) {
      const auto low = i & 1U;
      const auto high = i >> 1U;
      cells.push_back(cell(a, a ^ low, a ^ high, a ^ low ^ high, kCuts[i]));
    }
  }
  return cells;
}

std::vector<Cell> all_cells() {
  std::vector<Cell> cells;
  for (const auto cut : kCuts) {
    for (unsigned bits = 0; bits < 16; ++bits) {
      cells.push_back(cell(bits & 1U, bits >> 1U & 1U, bits >> 2U & 1U, bits >> 3U, cut));
    }
  }
  return cells;
}

bool has_option(const Architecture& row, const std::string& name) {
  const auto options = row.describe();
  return std::any_of(options.begin(), options.end(),
                     [&](const auto& option) { return option.name == name; });
}

bool counts(const Experiment& experiment) {
  return dynamic_cast<const Counted*>(experiment.model.get()) != nullptr;
}

RawConfig config_of(const fs::path& folder, const Architecture& row, const std::string& task,
                    const Cell& cell) {
  const auto with = [&](std::int64_t batch_size) {
    std::vector<std::string> settings = {std::string("optimizer.type=") + cell.optimizer,
                                         "training.accumulate=" + std::to_string(cell.accumulate),
                                         "training.batch_size=" + std::to_string(batch_size),
                                         "schedule.warmup_steps=" + std::to_string(kWarmUp)};
    if (has_option(row, "dropout")) {
      settings.push_back(std::string("model.dropout=") + cell.dropout);
    }
    return tiny_config(folder, row, settings, task);
  };
  const auto rows = make_tiny_experiment(with(1)).training_batches()->size();
  return with((rows + kEpoch - 1) / kEpoch);
}

std::vector<nlohmann::json> metrics_of(const fs::path& run) {
  std::istringstream lines(read_file(run / "metrics.jsonl"));
  std::vector<nlohmann::json> parsed;
  for (std::string line; std::getline(lines, line);) parsed.push_back(nlohmann::json::parse(line));
  return parsed;
}

/// The last update before the end after which the model was the best so far.
std::int64_t last_best(const fs::path& run) {
  double best = 1e9;
  std::int64_t step = 4;
  for (const auto& line : metrics_of(run)) {
    if (line.at("kind") != "evaluation" || line.at("loss") >= best) continue;
    best = line.at("loss");
    if (line.at("step") > 0 && line.at("step") < kSteps) step = line.at("step");
  }
  return step;
}

std::int64_t cut_step(const Cell& cell, std::int64_t batches, const fs::path& whole) {
  const auto ends_epoch = [&](std::int64_t step) { return step * cell.accumulate % batches == 0; };
  switch (cell.cut) {
    case Cut::kInWarmUp:
      return kWarmUp - 2;
    case Cut::kWithinEpoch: {
      std::int64_t step = kWarmUp + 1;
      while (ends_epoch(step)) ++step;
      return step;
    }
    case Cut::kAfterEpoch: {
      std::int64_t step = 1;
      while (!ends_epoch(step)) ++step;
      return step;
    }
    case Cut::kAfterBest:
      return last_best(whole);
  }
  return 0;
}

/// Trains the whole of a cell and in two parts, and says what differs.
std::string difference_in(const Architecture& row, const std::string& task, const Cell& cell) {
  const TemporaryFolder folder;
  const Threads threads(cell.threads);
  const auto raw = config_of(folder.path(), row, task, cell);
  auto whole = make_tiny_experiment(raw);
  if (counts(whole)) return "";
  const auto cut = [&] {
    const auto at = cut_step(cell, whole.training_batches()->size(), folder / "whole");
    REQUIRE(at < kSteps);
    return at;
  };
  train_tiny(folder / "whole", whole, kSteps);
  auto first = make_tiny_experiment(raw);
  train_tiny(folder / "cut", first, kSteps, cut());
  torch::manual_seed(12345);  // another process has other random numbers
  auto second = make_tiny_experiment(raw);
  train_tiny(folder / "cut", second, kSteps);
  const auto compared = compare_runs(folder / "whole", folder / "cut", second.config.identity());
  CHECK(compared.tensors > 0);
  CHECK(compared.lines >= 5);
  return compared.difference;
}

void check_cells(const std::vector<Cell>& cells) {
  for (const auto& row : architectures()) {
    for (const auto& task : row.tasks) {
      for (const auto& one : cells) {
        INFO(row.name << ", " << task << ", " << one.optimizer << ", dropout " << one.dropout
                      << ", accumulate " << one.accumulate << ", threads " << one.threads
                      << ", cut " << static_cast<int>(one.cut));
        CHECK(difference_in(row, task, one) == "");
      }
    }
  }
}

TEST_CASE("every architecture resumes bit for bit, with every pair of options") {
  check_cells(pairwise_cells());
}

TEST_CASE("every architecture resumes bit for bit, with all options together", "[slow]") {
  check_cells(all_cells());
}

TEST_CASE("every architecture gives the same numbers in two runs of one config") {
  for (const auto& row : architectures()) {
    for (const auto& task : row.tasks) {
      INFO(row.name << ", " << task);
      const TemporaryFolder folder;
      const auto raw = config_of(folder.path(), row, task, cell(0, 1, 0, 1, Cut::kInWarmUp));
      for (const char* name : {"one", "two"}) {
        auto experiment = make_tiny_experiment(raw);
        train_tiny(folder / name, experiment, kSteps);
      }
      const auto identity = make_tiny_experiment(raw).config.identity();
      CHECK(compare_runs(folder / "one", folder / "two", identity).difference == "");
    }
  }
}

/// The losses of a run's reports.
std::vector<double> losses_of(const fs::path& run) {
  std::vector<double> losses;
  for (const auto& line : metrics_of(run)) {
    if (line.at("kind") == "train") losses.push_back(line.at("loss"));
  }
  return losses;
}

TEST_CASE("every architecture learns the same with other threads, within 1e-5 over 20 steps") {
  for (const auto& row : architectures()) {
    INFO(row.name);
    const TemporaryFolder folder;
    std::vector<std::string> settings = {"training.batch_size=16", "training.report_every=1",
                                         "optimizer.learning_rate=1e-3"};
    if (has_option(row, "d_model")) settings.push_back("model.d_model=64");
    std::vector<double> losses[2];
    for (const int threads : {1, 2}) {
      const Threads scope(threads);
      auto experiment = make_tiny_experiment(tiny_config(folder.path(), row, settings));
      if (counts(experiment)) continue;
      const auto run = folder / std::to_string(threads);
      train_tiny(run, experiment, 20);
      losses[threads - 1] = losses_of(run);
      REQUIRE(losses[threads - 1].size() == 20);
    }
    for (std::size_t i = 0; i < losses[0].size(); ++i) {
      CHECK(std::abs(losses[0][i] - losses[1][i]) < 1e-5);
    }
  }
}

TEST_CASE("a difference between two runs is named with its place") {
  const TemporaryFolder folder;
  const auto raw = tiny_config(folder.path(), architectures().back());
  for (const char* name : {"one", "two"}) {
    auto experiment = make_tiny_experiment(raw);
    train_tiny(folder / name, experiment, 4);
  }
  const auto identity = make_tiny_experiment(raw).config.identity();
  const auto metrics = folder / "two" / "metrics.jsonl";
  const auto text = read_file(metrics);
  write_file_synced(metrics, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
  CHECK_THAT(compare_runs(folder / "one", folder / "two", identity).difference,
             ContainsSubstring("metrics.jsonl: "));
  write_file_synced(metrics, text);
  auto other = make_tiny_experiment(tiny_config(folder.path(), architectures().back(), {"seed=2"}));
  fs::remove_all(folder / "two");
  train_tiny(folder / "two", other, 4);
  const auto found = compare_runs(folder / "one", folder / "two", identity);
  CHECK_FALSE(found.equal());
}

}  // namespace
}  // namespace zoo
