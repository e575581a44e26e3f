// Every call that one save makes fails in turn, and the program is killed at each: what was saved
// before must be there, or what was to be saved.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include "core/errors.h"
#include "core/files.h"
#include "tests/faults/fault.h"
#include "tests/faults/one_save.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// A folder in memory where there is one: these tests are about calls, not about a disk.
class QuickFolder {
 public:
  QuickFolder() {
    const bool in_memory = ::access("/dev/shm", W_OK) == 0;
    const auto place = in_memory ? fs::path("/dev/shm") : fs::temp_directory_path();
    auto name = (place / "zoo-test-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~QuickFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  QuickFolder(const QuickFolder&) = delete;
  QuickFolder& operator=(const QuickFolder&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

/// What is saved, onto what.
struct Save {
  std::string name;
  std::int64_t step;  ///< that is saved onto the checkpoints 1, 2, 3, the best 1; even: the best
  bool exchanges = true;  ///< whether folders can be exchanged
  std::int64_t newest_at_least = 3;
};

/// A run with three checkpoints, copied for each case.
class SavedRun {
 public:
  SavedRun() {
    for (const std::int64_t step : {1, 2, 3}) {
      write_checkpoint(before(), step, files_of_step(step), kIdentity);
    }
    mark_best(before(), 1);
    write_file_synced(before() / "metrics.jsonl", line_of_step(2) + line_of_step(3));
  }
  fs::path run() const { return folder_ / "run"; }
  fs::path log() const { return folder_ / "calls"; }

  void start_again() const {
    fs::remove_all(run());
    fs::copy(before(), run(), fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }
  ProgramResult save(const Save& save, Fault fault) const {
    fault.exchanges = save.exchanges;
    fs::remove(log());
    return run_program(ZOO_SAVE_ONCE, {run().string(), std::to_string(save.step)},
                       with_fault(fault, run(), log()));
  }

 private:
  fs::path before() const { return folder_ / "before"; }
  QuickFolder folder_;
};

/// Every path below a folder with its content, or where it points.
std::map<std::string, std::string> content_of(const fs::path& folder) {
  std::map<std::string, std::string> content;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    auto& text = content[fs::relative(entry.path(), folder).string()];
    if (entry.is_symlink()) {
      text = "-> " + fs::read_symlink(entry.path()).string();
    } else if (entry.is_regular_file()) {
      text = read_file(entry.path());
    }
  }
  return content;
}

/// What must hold whatever happened: every checkpoint that can be seen is whole, none that was the
/// newest is lost, and the best can be read.
void check_nothing_is_lost(const SavedRun& here, const Save& save, bool succeeded) {
  const auto run = here.run();
  for (const auto& name : names_in(run / "checkpoints")) {
    if (!name.starts_with("step-") || name.ends_with(".tmp")) continue;
    const auto whole = read_checkpoint(run, name, kIdentity);
    CHECK(whole.files == files_of_step(whole.step));
  }
  const auto newest = read_newest_checkpoint(run, kIdentity);
  CHECK(newest.skipped.empty());
  CHECK(newest.step >= (succeeded ? save.step : save.newest_at_least));
  for (const auto* link : {"best", "last"}) {
    CHECK_FALSE(target_of_link(run / "checkpoints" / link).empty());
  }
  const auto best = read_checkpoint(run, "best", kIdentity);
  const bool marked = best.step == save.step && is_best(save.step);
  CHECK((marked || (best.step == 1 && (!succeeded || !is_best(save.step)))));
  const auto metrics = read_file(run / "metrics.jsonl");
  const auto whole = line_of_step(save.step - 1) + line_of_step(save.step);
  const bool grown = metrics.size() >= whole.size() / 2 && whole.starts_with(metrics);
  CHECK((grown || metrics == line_of_step(2) + line_of_step(3)));
}

/// Meets one fault, judges what is left, then saves without it.
void check_fault(const SavedRun& here, const Save& save, const Fault& fault,
                 const std::map<std::string, std::string>& expected) {
  INFO(save.name << ", " << text_of_fault(fault));
  here.start_again();
  const auto result = here.save(save, fault);
  INFO(result.error);
  const bool harmless = fault.what == "EINTR" || fault.what == "short";
  if (fault.what == "SIGKILL") {
    CHECK(result.code == 128 + SIGKILL);
  } else if (result.code == 0 || harmless) {
    CHECK(result.code == 0);
    CHECK(result.error.empty());
  } else {
    CHECK(result.code == 2);
    CHECK(result.error.starts_with("error: "));
    CHECK(std::count(result.error.begin(), result.error.end(), '\n') == 1);
    CHECK_THAT(result.error, ContainsSubstring(here.run().string()));
  }
  check_nothing_is_lost(here, save, result.code == 0);
  if (result.code == 0) CHECK(content_of(here.run()) == expected);
  save_once(here.run(), save.step);
  CHECK(content_of(here.run()) == expected);
}

/// The faults that are tried at a call: all, or one of each sort.
std::vector<Fault> faults_at(const FileCall& call, bool all) {
  const auto k = call.number;
  std::vector<Fault> faults = {{"SIGKILL", k}, {"ENOSPC", k}, {"EIO", k, -1}};
  if (!all) return faults;
  faults.insert(faults.end(), {{"ENOSPC", k, -1}, {"EIO", k}, {"EINTR", k}, {"EINTR", k, 3}});
  if (call.kind == "write") faults.insert(faults.end(), {{"short", k}, {"short", k, -1}});
  return faults;
}

void check_every_call(const Save& save, bool all) {
  const SavedRun here;
  here.start_again();
  REQUIRE(here.save(save, {}).code == 0);
  const auto expected = content_of(here.run());
  const auto calls = calls_in(here.log());
  std::set<std::string> kinds;
  std::int64_t cases = 0;
  for (const auto& call : calls) {
    kinds.insert(call.kind);
    INFO("the call: " << call.kind << " " << call.path);
    for (const auto& fault : faults_at(call, all)) {
      check_fault(here, save, fault, expected);
      ++cases;
    }
  }
  for (const auto* kind : {"open", "write", "sync", "rename", "mkdir", "remove"}) {
    INFO(kind);
    CHECK(kinds.contains(kind));
  }
  const bool links_point_there = save.step == 3;  // the newest of a saved run
  CHECK(kinds.contains("symlink") != links_point_there);
  WARN(save.name << ": " << calls.size() << " calls, " << cases << " faults");
  // Behind the last call nothing can fail.
  here.start_again();
  const auto count = static_cast<std::int64_t>(calls.size());
  CHECK(here.save(save, {"EIO", count + 1, -1}).code == 0);
}

bool before_release() { return count_of("ZOO_DISK_FAULTS", 0) > 0; }

TEST_CASE(
    "a fault at any call of a save leaves the last good checkpoint, and the next save heals") {
  check_every_call({"a new best step", 4}, /*all=*/true);
}

TEST_CASE("a fault at any call of a save that is not the best leaves the best") {
  check_every_call({"a new step", 5}, before_release());
}

TEST_CASE("a fault while a step is saved again leaves the step's old checkpoint or its new one") {
  check_every_call({"the newest step again", 3}, before_release());
}

TEST_CASE("where folders cannot be exchanged, saving a step again may lose that step only") {
  check_every_call({"the newest step again", 3, /*exchanges=*/false, /*newest_at_least=*/2},
                   before_release());
}

TEST_CASE(
    "what a save writes is on the disk before its name is, and that before anything is deleted") {
  const SavedRun here;
  here.start_again();
  REQUIRE(here.save({"a new best step", 4}, {}).code == 0);
  std::set<std::string> unsynced;  // paths that were written, folders that got a name
  std::int64_t renamed = 0;
  for (const auto& call : calls_in(here.log())) {
    INFO(call.number << " " << call.kind << " " << call.path);
    const auto path = fs::path(call.path);
    if (call.kind == "write") unsynced.insert(call.path);
    if (call.kind == "sync") unsynced.erase(call.path);
    if (call.kind == "mkdir") unsynced.insert(path.parent_path().string());
    if (call.kind == "remove") CHECK(unsynced.empty());
    if (call.kind != "rename") continue;
    CHECK(unsynced.empty());
    ++renamed;
    // What is put out of sight to be deleted may come back after a power cut.
    if (path.extension() != ".tmp") unsynced.insert(path.parent_path().string());
  }
  CHECK(unsynced.empty());
  CHECK(renamed >= 6);
}

TEST_CASE("two kills in a row, at any two calls of a save, leave the last good checkpoint") {
  const SavedRun here;
  const Save save{"a new best step", 4};
  here.start_again();
  REQUIRE(here.save(save, {}).code == 0);
  const auto calls = static_cast<std::int64_t>(calls_in(here.log()).size());
  const auto expected = content_of(here.run());
  const auto pairs = count_of("ZOO_PAIRS", 100);
  std::mt19937_64 random(drawn_seed("two kills in a row"));
  std::uniform_int_distribution<std::int64_t> any(1, calls);
  for (std::int64_t i = 0; i < pairs; ++i) {
    here.start_again();
    const auto first = any(random), second = any(random);
    INFO("killed at call " << first << ", then at call " << second);
    CHECK(here.save(save, {"SIGKILL", first}).code == 128 + SIGKILL);
    here.save(save, {"SIGKILL", second});
    check_nothing_is_lost(here, save, false);
    save_once(here.run(), save.step);
    CHECK(content_of(here.run()) == expected);
  }
}

}  // namespace
}  // namespace zoo
