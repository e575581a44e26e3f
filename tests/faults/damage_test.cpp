// A checkpoint that is not whole is passed over, and it is said: every file of the newest one
// damaged in twenty ways.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>

#include "core/errors.h"
#include "core/files.h"
#include "tests/faults/tiny_runs.h"
#include "tests/support/catch.h"
#include "tests/support/refused.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// A damaged file: its bytes, or none where it was dropped.
struct Damage {
  std::string name;
  bool dropped = false;
  std::string bytes = {};
};

std::string with_flipped_bit(std::string bytes, std::mt19937_64& random) {
  const auto bit = random() % (bytes.size() * 8);
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
  return bytes;
}

/// Twenty damages of a file; `stale` is its content in the checkpoint before.
std::vector<Damage> damages_of(const std::string& bytes, const std::string& stale,
                               std::mt19937_64& random) {
  const auto half = bytes.size() / 2;
  auto torn = bytes;
  std::fill(torn.begin() + static_cast<std::ptrdiff_t>(half), torn.end(), '\0');
  std::vector<Damage> damages = {{"dropped", true},
                                 {"emptied", false, ""},
                                 {"cut to one byte", false, bytes.substr(0, 1)},
                                 {"cut in half", false, bytes.substr(0, half)},
                                 {"cut by two bytes", false, bytes.substr(0, bytes.size() - 2)},
                                 {"cut anywhere", false, bytes.substr(0, random() % bytes.size())},
                                 {"torn: its second half zeros", false, torn},
                                 {"all zeros", false, std::string(bytes.size(), '\0')},
                                 {"a byte longer", false, bytes + "x"},
                                 {"that of the checkpoint before", false, stale}};
  while (damages.size() < 20) {
    damages.push_back({"a bit flipped", false, with_flipped_bit(bytes, random)});
  }
  return damages;
}

void apply(const Damage& damage, const fs::path& file) {
  if (damage.dropped) {
    fs::remove(file);
  } else {
    write_file_synced(file, damage.bytes);
  }
}

TEST_CASE("each file of the newest checkpoint, damaged in twenty ways: the one before is used") {
  auto& here = TinyRuns::shared();
  std::mt19937_64 random(drawn_seed("damages"));
  int count = 0;
  for (const std::string config : {"gpt", "encoder_decoder"}) {
    const auto& run = here.whole(config);
    const auto identity = identity_of_run(run);
    const auto newest = read_newest_checkpoint(run, identity);
    const auto older = newest.step - newest.step % TinyRuns::kSaveEvery;
    const auto before = run / "checkpoints" / text_of("step-", older);
    REQUIRE(older < newest.step);
    for (const auto& name : names_in(newest.folder)) {
      const auto file = newest.folder / name;
      const auto bytes = read_file(file);
      for (const auto& damage : damages_of(bytes, read_file(before / name), random)) {
        if (!damage.dropped && damage.bytes == bytes) continue;  // a tokenizer is never stale
        INFO(config << ", " << name << ": " << damage.name);
        apply(damage, file);
        const auto used = read_newest_checkpoint(run, identity);
        CHECK(used.step == older);
        REQUIRE(used.skipped.size() == 1);
        CHECK(used.skipped[0].step == newest.step);
        CHECK_THAT(used.skipped[0].reason, ContainsSubstring(newest.folder.string()));
        ++count;
      }
      write_file_synced(file, bytes);
    }
    CHECK(read_newest_checkpoint(run, identity).step == newest.step);
  }
  WARN(count << " damages");
}

TEST_CASE("resume says which checkpoint it passed over and why, and ends as if it had been whole") {
  auto& here = TinyRuns::shared();
  const auto& whole = here.whole("gpt");
  std::mt19937_64 random(drawn_seed("damages before resume"));
  for (const std::string file : {"model.safetensors", "state.json", "manifest.json"}) {
    const auto run = here.fresh("run");
    fs::copy(whole, run, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    const auto newest = run / "checkpoints" / text_of("step-", newest_step(run)) / file;
    const auto bytes = read_file(newest);
    auto damages = damages_of(bytes, bytes, random);
    apply(damages[random() % 8], newest);
    const auto resumed = here.finish("gpt", run);
    INFO(resumed.error);
    CHECK(resumed.code == 0);
    CHECK_THAT(resumed.error, ContainsSubstring("warning: passed over "));
    CHECK_THAT(resumed.error, ContainsSubstring(newest.string()));
    CHECK_THAT(resumed.error, ContainsSubstring("the run goes on from there"));
    check_same_result(run, whole);
  }
}

TEST_CASE("checkpoints that are not whole never push out those that are") {
  auto& here = TinyRuns::shared();
  here.add("few", "mlp", R"({"training": {"keep_checkpoints": 1, "patience": 0}})");
  const auto run = here.fresh("run");
  REQUIRE(here.finish("few", run).code == 0);
  const auto checkpoints = run / "checkpoints";
  const auto whole = here.whole("few");
  // Two from later on that are not whole, and the run's last ones gone back to step 12.
  const auto state = read_checkpoint(run, "last", identity_of_run(run));
  for (const auto step : {60, 80}) {
    fs::copy(state.folder, checkpoints / text_of("step-", step), fs::copy_options::recursive);
    fs::resize_file(checkpoints / text_of("step-", step) / "model.safetensors", 5);
  }
  const auto more =
      zoo_result({"resume", run.string(), "--quiet", "--set", "training.max_steps=50"});
  INFO(more.error);
  CHECK(more.code == 0);
  CHECK(newest_step(run) == 50);
  CHECK(newest_whole_step(run) == 50);
  CHECK_THAT(more.error, ContainsSubstring("step-80") && ContainsSubstring("step-60"));
}

}  // namespace
}  // namespace zoo
