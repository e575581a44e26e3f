#include <cstdlib>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Names to learn from, and a config that learns them in a second.
class Workplace {
 public:
  explicit Workplace(const std::string& more = "") {
    std::string names;
    for (const char* start : {"a", "be", "ca", "do", "el", "fi", "ge", "hu"}) {
      for (const char* end : {"na", "ra", "vi", "lo", "mi"})
        names += std::string(start) + end + "\n";
    }
    write_file_synced(folder_ / "names.txt", names);
    write_file_synced(folder_ / "gpt.json", R"({"architecture": "gpt", "device": "cpu",
      "model": {"d_model": 16, "n_heads": 2, "n_layers": 2, "dropout": 0.1},
      "data": {"path": "names.txt", "val_fraction": 0.2},
      "training": {"max_steps": 30, "batch_size": 8, "evaluate_every": 10, "samples": 2})" +
                                                more + "}");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  std::string config() const { return *this / "gpt.json"; }

 private:
  TemporaryFolder folder_;
};

/// A variable of the environment for a scope.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
  ~Variable() { ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST_CASE("verify-resume shows that a run that is cut and gone on with is the same") {
  const Workplace here;
  const auto verified = run_zoo({"verify-resume", here.config(), "--steps", "12"});
  INFO(verified.error);
  CHECK(verified.code == 0);
  CHECK_THAT(verified.out, ContainsSubstring("equal: ") && ContainsSubstring(" tensors, ") &&
                               ContainsSubstring(" metric lines"));
  const auto json =
      run_zoo({"verify-resume", here.config(), "--steps", "2", "--json", "--set", "seed=3"});
  const auto object = nlohmann::json::parse(json.out);
  CHECK(object.at("equal") == true);
  CHECK(object.at("tensors").get<int>() > 10);
  CHECK(object.at("moments").get<int>() > 20);
  CHECK(object.at("states").get<int>() > 5);
  CHECK(object.at("metric_lines").get<int>() >= 4);
}

TEST_CASE("verify-resume refuses what it cannot show in one line") {
  const Workplace here;
  check_refused(run_zoo({"verify-resume", here.config(), "--steps", "1"}), "--steps: got 1");
  check_refused(
      run_zoo({"verify-resume", "configs/names/bigram.json", "--set", "architecture=ngram"}),
      "ngram");
  check_refused(run_zoo({"verify-resume", here / "none.json"}), "none.json: no such config");
}

TEST_CASE("--stop-after ends a call as Ctrl-C would, and resume goes on from there") {
  const Workplace here;
  const auto first =
      run_zoo({"train", here.config(), "--out", here / "run", "--quiet", "--stop-after", "7"});
  CHECK(first.code == 0);
  CHECK_THAT(first.error, ContainsSubstring("stopped at step 7, saved"));
  const auto second = run_zoo({"resume", here / "run", "--quiet", "--stop-after", "5"});
  CHECK_THAT(second.error, ContainsSubstring("stopped at step 12, saved"));
  CHECK(fs::exists(here / "run/checkpoints/step-12"));
  check_refused(run_zoo({"resume", here / "run", "--stop-after", "0"}), "--stop-after: got 0");
}

TEST_CASE("resume warns where the numbers will not be the same") {
  const Workplace here;
  {
    const Variable threads("OMP_NUM_THREADS", "1");
    run_zoo({"train", here.config(), "--out", here / "run", "--quiet", "--stop-after", "7"});
  }
  const Variable threads("OMP_NUM_THREADS", "2");
  const auto resumed = run_zoo({"resume", here / "run", "--quiet"});
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.error, ContainsSubstring("warning: threads was 1 and is 2 now; the run goes "
                                              "on, but not bit for bit"));
}

TEST_CASE("training that diverges says where and what would do, and keeps the checkpoint before") {
  const Workplace here(R"(, "optimizer": {"learning_rate": 1e6})");
  const auto trained = run_zoo({"train", here.config(), "--out", here / "run", "--quiet"});
  INFO(trained.error);
  check_refused(trained, "training diverged at step ");
  for (const char* part : {"first not finite: the output of block_", "learning rate 9.975e+05",
                           "lower optimizer.learning_rate", "keeps step-0"}) {
    CHECK_THAT(trained.error, ContainsSubstring(part));
  }
  CHECK(run_zoo({"eval", here / "run"}).code == 0);
}

}  // namespace
}  // namespace zoo
