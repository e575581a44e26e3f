// SIGKILL at random instants, failures in a row, and requests to stop: a run that goes on ends
// where one that nothing stopped does.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "core/errors.h"
#include "core/files.h"
#include "tests/faults/tiny_runs.h"
#include "tests/support/catch.h"
#include "tests/support/refused.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Kills a program after so long; whether it came to that.
bool kill_after(ChildProgram& child, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (child.runs() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!child.runs()) return false;
  child.send(SIGKILL);
  return child.result().code == 128 + SIGKILL;
}

/// What a kill must leave: the newest checkpoint whole, none lost that was there before, and every
/// save that was due before the last report.
void check_at_most_one_interval_is_lost(const fs::path& run, std::int64_t step_before) {
  const auto newest = newest_whole_step(run);
  CHECK(newest == newest_step(run));
  CHECK(newest >= step_before);
  if (newest < 0) return;
  const auto reported = last_reported_step(run);
  const auto due = std::max<std::int64_t>(0, reported - 1) / TinyRuns::kSaveEvery;
  CHECK(newest >= due * TinyRuns::kSaveEvery);
}

/// What of a training's time goes into its start, about.
constexpr double kStartShare = 0.5;

/// Trains with kills until it is done. Returns how many there were.
std::int64_t train_with_kills(TinyRuns& here, const std::string& config, const fs::path& run,
                              std::int64_t most_kills, std::mt19937_64& random) {
  std::int64_t kills = 0;
  while (true) {
    const auto step_before = newest_step(run);
    const auto left =
        1.0 - static_cast<double>(std::max<std::int64_t>(0, step_before)) / TinyRuns::kSteps;
    const auto seconds = here.seconds(config) * (kStartShare + (1.0 - kStartShare) * left);
    std::uniform_real_distribution<double> instant(0.0, seconds);
    const auto child = here.go_on(config, run);
    if (kills < most_kills && kill_after(*child, instant(random))) {
      ++kills;
      INFO(config << ", kill " << kills);
      check_at_most_one_interval_is_lost(run, step_before);
      continue;
    }
    const auto result = child->result();
    INFO(result.error);
    REQUIRE((result.code == 0 || here.end(config, run)));  // all may have been written before
    return kills;
  }
}

TEST_CASE("a kill at any instant loses at most one save interval and changes nothing") {
  auto& here = TinyRuns::shared();
  std::mt19937_64 random(drawn_seed("kills"));
  const auto wanted = count_of("ZOO_KILLS", 20);
  std::int64_t kills = 0, runs = 0;
  for (; kills < wanted; ++runs) {
    const auto& names = TinyRuns::names();
    const auto& config = names[static_cast<std::size_t>(runs) % names.size()];
    const auto run = here.fresh("run");
    kills += train_with_kills(here, config, run, std::min<std::int64_t>(4, wanted - kills), random);
    INFO(config);
    check_same_result(run, here.whole(config));
  }
  WARN(kills << " kills in " << runs << " runs");
}

/// Starts or goes on with a fault at one of its calls.
ProgramResult meet(const TinyRuns& here, const std::string& config, const fs::path& run,
                   const Fault& fault) {
  INFO(text_of_fault(fault));
  const auto step_before = newest_step(run);
  const auto result = here.finish(config, run, with_fault(fault, run));
  INFO(result.error);
  if (result.code != 0 && fault.what != "SIGKILL") {
    CHECK(result.code == 2);
    CHECK(result.error.starts_with("error: "));
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
  }
  check_at_most_one_interval_is_lost(run, step_before);
  return result;
}

TEST_CASE("two failures in a row lose nothing: a kill, then another or a full or failing disk") {
  auto& here = TinyRuns::shared();
  const std::string config = "short";
  here.add(config, "mlp", R"({"training": {"max_steps": 12, "evaluate_every": 6}})");
  const auto& whole = here.whole(config);
  const auto calls = static_cast<std::int64_t>(here.calls(config).size());
  std::mt19937_64 random(drawn_seed("two failures"));
  std::uniform_int_distribution<std::int64_t> any(calls / 4, calls);
  const std::vector<Fault> second = {{"SIGKILL"}, {"ENOSPC", 0, -1}, {"EIO"}};
  const auto pairs = count_of("ZOO_PAIRS", 6);
  for (std::int64_t i = 0; i < pairs; ++i) {
    const auto run = here.fresh("run");
    INFO("pair " << i);
    meet(here, config, run, {"SIGKILL", any(random)});
    auto fault = second[static_cast<std::size_t>(i) % second.size()];
    fault.at = std::uniform_int_distribution<std::int64_t>(1, calls / 2)(random);
    REQUIRE((meet(here, config, run, fault).code == 0 || here.end(config, run)));
    check_same_result(run, whole);
  }
}

TEST_CASE("a failing disk never costs a training its last good checkpoint") {
  auto& here = TinyRuns::shared();
  const std::string config = "short-gpt";
  here.add(config, "gpt", R"({"training": {"max_steps": 14, "evaluate_every": 7}})");
  const auto& whole = here.whole(config);
  const auto& calls = here.calls(config);
  std::map<std::string, std::vector<std::int64_t>> by_kind;
  for (const auto& call : calls) by_kind[call.kind].push_back(call.number);
  const std::vector<std::pair<std::string, std::int64_t>> errors = {
      {"ENOSPC", -1}, {"EIO", 1}, {"EINTR", 1}, {"ENOSPC", 1}, {"EIO", -1}, {"short", -1}};
  std::mt19937_64 random(drawn_seed("a failing disk"));
  const auto cases = count_of("ZOO_DISK_FAULTS", 12);
  for (std::int64_t i = 0; i < cases; ++i) {
    auto kind = by_kind.begin();
    std::advance(kind, i % static_cast<std::int64_t>(by_kind.size()));
    const auto& [what, times] = errors[random() % errors.size()];
    const auto& numbers = kind->second;
    const auto run = here.fresh("run");
    const Fault fault{what, numbers[random() % numbers.size()], times};
    INFO(kind->first << ", " << text_of_fault(fault));
    const auto result = meet(here, config, run, fault);
    if (what == "EINTR" || what == "short") CHECK(result.code == 0);
    REQUIRE((result.code == 0 || here.end(config, run)));
    check_same_result(run, whole);
  }
  WARN(calls.size() << " calls in a whole training, " << cases << " faults");
}

TEST_CASE("a request to stop is answered with 130 and a save, also while saving") {
  auto& here = TinyRuns::shared();
  const auto& whole = here.whole("gpt");
  const auto& calls = here.calls("gpt");
  for (const auto* file :
       {"step-6.tmp/model.safetensors", "checkpoints/last.tmp", "metrics.jsonl"}) {
    const auto call = std::find_if(calls.begin(), calls.end(), [&](const auto& one) {
      return one.path.ends_with(file) && one.number > 100;
    });
    REQUIRE(call != calls.end());
    const auto run = here.fresh("run");
    INFO(file);
    const auto stopped = here.finish("gpt", run, with_fault({"SIGTERM", call->number}, run));
    INFO(stopped.error);
    CHECK(stopped.code == 130);
    CHECK_THAT(stopped.error, ContainsSubstring("saved; go on with"));
    CHECK(newest_whole_step(run) >= last_reported_step(run));
    CHECK(here.finish("gpt", run).code == 0);
    check_same_result(run, whole);
  }
}

/// Sends SIGTERM as soon as there is one line and not yet the other; whether it came in between.
bool stop_between(ChildProgram& child, const fs::path& run, const std::string& kind,
                  const std::string& next_kind, std::int64_t step) {
  while (child.runs() && !has_line(run, kind, step)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  child.send(SIGTERM);
  return child.runs() && !has_line(run, next_kind, step);
}

TEST_CASE("a request to stop is answered with 130 and a save, while evaluating and sampling") {
  auto& here = TinyRuns::shared();
  here.add_many_names("many.txt", 3000);
  here.add("slow", "gpt", R"({
    "data": {"path": "many.txt", "val_fraction": 0.9},
    "training": {"max_steps": 10, "evaluate_every": 5, "samples": 60, "sample_length": 60}
  })");
  const auto& whole = here.whole("slow");
  const std::vector<std::pair<std::string, std::string>> moments = {{"train", "evaluation"},
                                                                    {"evaluation", "sample"}};
  for (const auto& [kind, next] : moments) {
    const auto run = here.fresh("run");
    INFO("between the lines " << kind << " and " << next);
    const auto child = here.go_on("slow", run);
    CHECK(stop_between(*child, run, kind, next, 5));
    const auto stopped = child->result();
    INFO(stopped.error);
    CHECK(stopped.code == 130);
    CHECK(newest_whole_step(run) >= 5);
    CHECK(here.finish("slow", run).code == 0);
    check_same_result(run, whole);
  }
}

}  // namespace
}  // namespace zoo
