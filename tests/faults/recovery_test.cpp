// What a user finds after something went wrong, and what the program says then.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "tests/faults/tiny_runs.h"
#include "tests/support/catch.h"
#include "tests/support/refused.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

ProgramResult resume(const fs::path& run, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"resume", run.string()};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return zoo_result(arguments);
}

/// Lets a run be killed just before its first or last call on a path that ends so.
void kill_at(TinyRuns& here, const std::string& config, const fs::path& run,
             const std::string& path_end, bool last = false) {
  std::int64_t at = 0;
  for (const auto& call : here.calls(config)) {
    if (call.path.ends_with(path_end) && (at == 0 || last)) at = call.number;
  }
  INFO(path_end);
  REQUIRE(at > 0);
  const auto killed = here.finish(config, run, with_fault({"SIGKILL", at}, run));
  INFO(killed.error);
  REQUIRE(killed.code == 128 + SIGKILL);
}

TEST_CASE("a second process on a run is refused in one line, and changes nothing") {
  auto& here = TinyRuns::shared();
  here.add("long", "mlp", R"({"training": {"max_steps": 100000}})");
  const auto run = here.fresh("run");
  const auto child = here.go_on("long", run);
  while (child->runs() && newest_step(run) < 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const auto config = read_file(run / "config.json");
  check_refused(resume(run), "another process is using this run");
  check_refused(resume(run, {"--set", "training.max_steps=200000"}),
                "another process is using this run");
  CHECK(read_file(run / "config.json") == config);
  check_refused(zoo_result({"train", (here / "mlp.json").string(), "--out", run.string()}),
                "exists already");
  REQUIRE(child->runs());
  child->send(SIGKILL);
  CHECK(child->result().code == 128 + SIGKILL);
  // Its lock went with it.
  const auto step = newest_whole_step(run);
  const auto resumed = resume(run, {"--quiet", "--set", text_of("training.max_steps=", step + 5)});
  INFO(resumed.error);
  CHECK(resumed.code == 0);
}

TEST_CASE("of two trainings that start at once with one --out, one is refused") {
  auto& here = TinyRuns::shared();
  const auto config = (here / "mlp.json").string(), run = here.fresh("run").string();
  const Environment environment = {{"OMP_NUM_THREADS", "1"}};
  ChildProgram one(ZOO_PROGRAM, {"train", config, "--out", run, "--quiet"}, {environment});
  ChildProgram two(ZOO_PROGRAM, {"train", config, "--out", run, "--quiet"}, {environment});
  const auto a = one.result(), b = two.result();
  INFO(a.error << b.error);
  CHECK(std::minmax(a.code, b.code) == std::minmax(0, 2));
  CHECK_THAT(a.error + b.error, ContainsSubstring("exists already"));
}

TEST_CASE("a run that was killed, moved and left with a torn line of metrics goes on") {
  auto& here = TinyRuns::shared();
  const auto run = here.fresh("run");
  kill_at(here, "gpt", run, "step-21.tmp/state.json");
  const auto moved = here.fresh("elsewhere") / "run";
  fs::create_directory(moved.parent_path());
  fs::rename(run, moved);
  GrowingFile(moved / "metrics.jsonl").append("{\"gradient_norm\":1.5,\"kind\":\"tra");
  fs::rename(here / "names.txt", here / "gone.txt");  // the run has its own copy
  const auto resumed = resume(moved, {"--quiet"});
  fs::rename(here / "gone.txt", here / "names.txt");
  INFO(resumed.error);
  CHECK(resumed.code == 0);
  check_same_result(moved, here.whole("gpt"));
}

TEST_CASE("a run that was killed after its last update is evaluated and summed up by resume") {
  auto& here = TinyRuns::shared();
  here.add("even", "mlp", R"({"training": {"max_steps": 12, "evaluate_every": 6}})");
  here.add("counted", "mlp", R"({"architecture": "ngram", "model": null})");
  here.add("early", "mlp", R"({"training": {"patience": 1, "evaluate_every": 2},
                                  "optimizer": {"learning_rate": 1e-30}})");
  const std::vector<std::pair<std::string, std::string>> instants = {
      {"even", "checkpoints/last.tmp"},
      {"even", "best.tmp"},
      {"early", "summary.json.tmp"},
      {"counted", "checkpoints/last.tmp"}};
  for (const auto& [config, path] : instants) {
    const auto run = here.fresh("run");
    kill_at(here, config, run, path, /*last=*/true);
    INFO(config << ", killed at " << path);
    const auto resumed = resume(run, {"--quiet"});
    INFO(resumed.error);
    CHECK(resumed.code == 0);
    check_same_result(run, here.whole(config));
  }
  for (const std::string config : {"even", "early", "counted"}) {
    check_refused(resume(here.whole(config)), "is finished");
  }
}

TEST_CASE("a run that was killed before its first checkpoint is refused, saying what to do") {
  auto& here = TinyRuns::shared();
  const auto run = here.fresh("run");
  kill_at(here, "mlp", run, "config.json.tmp");
  check_refused(resume(run), "delete it and train again");
  kill_at(here, "mlp", run, "step-0.tmp/manifest.json");  // after that run was removed
  check_refused(resume(run), "the run was stopped before its first one");
}

TEST_CASE("a checkpoint of a later version of zoo is refused and left alone") {
  auto& here = TinyRuns::shared();
  const auto run = here.fresh("run");
  fs::copy(here.whole("mlp"), run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  const auto newest = text_of("step-", newest_step(run));
  const auto path = run / "checkpoints" / newest / "manifest.json";
  auto manifest = Json::parse(read_file(path));
  manifest.erase("sha256");
  manifest["format_version"] = 9;
  manifest["sha256"] = sha256(manifest.dump());
  write_file_synced(path, manifest.dump(2));
  check_refused(resume(run, {"--set", "training.max_steps=60"}), "another version of zoo");
  CHECK(Json::parse(read_file(path)) == manifest);
  CHECK(Json::parse(read_file(run / "config.json")).at("training").at("max_steps") ==
        TinyRuns::kSteps);
}

TEST_CASE("a run of another architecture than its config says is refused") {
  auto& here = TinyRuns::shared();
  const auto run = here.fresh("run");
  fs::copy(here.whole("mlp"), run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  auto config = Json::parse(read_file(run / "config.json"));
  config["model"]["d_hidden"] = 24;
  write_file_synced(run / "config.json", config.dump(2));
  check_refused(resume(run), "restore config.json");
}

TEST_CASE("a run that was copied without keeping its links is refused in one line") {
  auto& here = TinyRuns::shared();
  const auto run = here.fresh("run");
  fs::copy(here.whole("mlp"), run, fs::copy_options::recursive);
  check_refused(resume(run, {"--set", "training.max_steps=60"}), "is no link");
  check_refused(zoo_result({"eval", run.string()}), "is no link");
}

TEST_CASE("a name that no file can have is refused in one line") {
  check_refused(resume(std::string(5000, 'x')), "File name too long");
  check_refused(zoo_result({"train", std::string(5000, 'x')}), "File name too long");
}

TEST_CASE("a run folder that may not be written is refused in one line") {
  auto& here = TinyRuns::shared();
  const auto& run = here.whole("mlp");
  for (auto folder = run; folder != fs::temp_directory_path(); folder = folder.parent_path()) {
    fs::permissions(folder, fs::perms(0755));
  }
  const auto as_nobody = [](const std::vector<std::string>& arguments) {
    return ChildProgram(ZOO_PROGRAM, arguments,
                        {.environment = {{"OMP_NUM_THREADS", "1"}}, .as_nobody = true})
        .result();
  };
  if (as_nobody({"--version"}).code != 0) {
    WARN("not checked: another user cannot run this program");
    return;
  }
  if (::geteuid() != 0) fs::permissions(run, fs::perms(0555));
  if (::geteuid() != 0) fs::permissions(run / "lock", fs::perms(0444));
  check_refused(as_nobody({"resume", run.string(), "--set", "training.max_steps=60"}),
                "Permission denied");
  CHECK(as_nobody({"eval", run.string()}).code == 0);
  fs::permissions(run, fs::perms(0755));
}

}  // namespace
}  // namespace zoo
