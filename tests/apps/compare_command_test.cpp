#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <future>

#include <sys/types.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Two configs of short runs, and a comparison of them.
class Workplace {
 public:
  Workplace() {
    write_file_synced(folder_ / "names.txt",
                      "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\n"
                      "hans\nida\nivan\njana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmia\n");
    write("bigram", R"({"architecture": "bigram", )");
    write("gpt",
          R"({"architecture": "gpt", "model": {"d_model": 8, "n_heads": 2, "n_layers": 1}, )");
    set_comparison({{"runs", {{{"config", "bigram.json"}}, {{"config", "gpt.json"}}}}});
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

  void set_comparison(Json comparison) const {
    comparison["seeds"] = {1, 2};
    if (!comparison.contains("budget")) comparison["budget"] = {{"steps", 20}};
    replace_file(folder_ / "both.json", comparison.dump());
  }
  ProgramResult compare(const std::vector<std::string>& more = {},
                        const std::string& interrupt_when = "",
                        std::int64_t most_file_bytes = -1) const {
    std::vector<std::string> arguments = {"compare", *this / "both.json", "--out", *this / "out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_zoo(arguments, interrupt_when, "", most_file_bytes);
  }

 private:
  void write(const std::string& name, const std::string& start) const {
    write_file_synced(folder_ / (name + ".json"),
                      start + R"("device": "cpu", "data": {"path": "names.txt",
                        "val_fraction": 0.2}, "training": {"max_steps": 5, "batch_size": 8}})");
  }
  TemporaryFolder folder_;
};

TEST_CASE("compare trains every config by every seed, judges all, and repeats nothing") {
  const Workplace here;
  const auto compared = here.compare();
  INFO(compared.error);
  REQUIRE(compared.code == 0);
  CHECK_THAT(compared.error, ContainsSubstring("[4/4] gpt-seed-2"));
  CHECK_THAT(compared.out, ContainsSubstring("bits per character"));
  CHECK_THAT(compared.out, ContainsSubstring("6-gram, Kneser-Ney"));
  const auto results = Json::parse(read_file(here / "out/results.json"));
  REQUIRE(results.at("rows").size() == 2);
  for (const auto& row : results.at("rows")) {
    REQUIRE(row.at("runs").size() == 2);
    CHECK(row.at("runs")[0].at("steps") == 20);
    CHECK(row.at("runs")[0].at("peak_bytes").get<std::int64_t>() > 1 << 20);
    CHECK(row.at("parameters").get<std::int64_t>() > 0);
  }
  CHECK(results.at("rows")[0].at("mean") <= results.at("rows")[1].at("mean"));
  CHECK(results.at("differences").contains("architecture"));
  CHECK_FALSE(results.at("differences").contains("data.path"));
  CHECK_THAT(read_file(here / "out/results.csv"), ContainsSubstring("gpt,2,"));
  CHECK_THAT(read_file(here / "out/results.md"), ContainsSubstring("| gzip -9 |"));
  // A run of a comparison is a run like any other.
  CHECK(run_zoo({"eval", here / "out/gpt-seed-1"}).code == 0);

  const auto again = here.compare({"--json"});
  CHECK(again.error.empty());
  CHECK(Json::parse(again.out) == results);

  fs::remove_all(here / "out/gpt-seed-1");
  const auto mended = here.compare({"--json"});
  CHECK_THAT(mended.error, ContainsSubstring("gpt-seed-1"));
  CHECK(std::count(mended.error.begin(), mended.error.end(), '\n') == 2);
  auto rows = Json::parse(mended.out).at("rows");
  for (std::size_t i = 0; i < 2; ++i) CHECK(rows[i].at("mean") == results.at("rows")[i].at("mean"));
}

TEST_CASE("compare goes on after a stop, and after a run that fails") {
  const Workplace here;
  const auto stopped = here.compare({}, "[2/4]");
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.error, ContainsSubstring("go on with the same command"));
  CHECK(here.compare({}).code == 0);

  here.set_comparison(
      {{"runs",
        {{{"config", "bigram.json"}},
         {{"config", "gpt.json"}, {"set", {{"training.initialize_from", here / "nothing"}}}}}}});
  const auto other = here.compare();
  CHECK(other.code == 2);
  CHECK_THAT(other.error, ContainsSubstring("was made for other configs"));
  fs::remove_all(here / "out");
  const auto failed = here.compare();
  CHECK(failed.code == 2);
  CHECK_THAT(failed.error, ContainsSubstring("gpt-seed-1: failed (2): error: "));
  CHECK_THAT(failed.error,
             ContainsSubstring("these runs failed, the rest is compared: gpt-seed-1"));
  CHECK_THAT(failed.out, ContainsSubstring("bigram"));
}

TEST_CASE("a stop reaches the run that is under way") {
  const Workplace here;
  here.set_comparison({{"budget", {{"steps", 5'000'000}}}, {"runs", {{{"config", "gpt.json"}}}}});
  const auto stopped = here.compare({}, "[1/2]");
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.error, ContainsSubstring("gpt-seed-1: stopped"));
}

/// The process that was started with this argument; 0: there is none.
pid_t process_with(const std::string& argument) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream arguments(entry.path() / "cmdline");
    for (std::string one; std::getline(arguments, one, '\0');) {
      if (one == argument) return std::stoi(entry.path().filename().string());
    }
  }
  return 0;
}

TEST_CASE("compare names the run that was killed, compares the rest, and makes it good") {
  const Workplace here;
  here.set_comparison({{"runs", {{{"config", "bigram.json"}}, {{"config", "gpt.json"}}}},
                       {"budget", {{"steps", 500}}}});
  auto comparing = std::async(std::launch::async, [&] { return here.compare(); });
  const auto killed = here / "out/gpt-seed-1";
  pid_t process = 0;
  while (process == 0 &&
         comparing.wait_for(std::chrono::milliseconds(5)) != std::future_status::ready) {
    process = process_with(killed);
  }
  REQUIRE(process != 0);
  ::kill(process, SIGKILL);
  const auto compared = comparing.get();
  CHECK(compared.code == 2);
  CHECK_THAT(compared.error, ContainsSubstring("gpt-seed-1: ended by signal 9"));
  CHECK_THAT(compared.error,
             ContainsSubstring("these runs failed, the rest is compared: gpt-seed-1"));
  CHECK(fs::exists(here / "out/gpt-seed-2/summary.json"));
  const auto again = here.compare();
  CHECK(again.code == 0);
  CHECK(fs::exists(here / "out/gpt-seed-1/summary.json"));
}

TEST_CASE("compare says which runs a full disk stopped, and goes on when there is room") {
  const Workplace here;
  here.set_comparison({{"runs",
                        {{{"config", "bigram.json"}},
                         {{"config", "gpt.json"}, {"set", {{"model.d_model", 32}}}}}}});
  const auto full = here.compare({}, "", /*most_file_bytes=*/30'000);
  INFO(full.error);
  CHECK(full.code == 2);
  CHECK_THAT(full.error, ContainsSubstring("gpt-seed-1: failed (2): error: "));
  CHECK_THAT(full.error, ContainsSubstring("File too large"));
  CHECK_THAT(full.error, ContainsSubstring("rest is compared: gpt-seed-1, gpt-seed-2"));
  CHECK_THAT(full.out, ContainsSubstring("bigram"));
  CHECK(here.compare().code == 0);
}

TEST_CASE("compare of several problems prints a matrix of them") {
  const Workplace here;
  here.set_comparison({{"runs", {{{"config", "bigram.json"}}, {{"config", "gpt.json"}}}},
                       {"problems",
                        {{{"name", "few lines"},
                          {"set", {{"data.val_fraction", 0.3}, {"tokenizer.unknown", "skip"}}}},
                         {{"name", "short"}, {"set", {{"data.val_fraction", 0.2}}}}}}});
  const auto compared = here.compare();
  INFO(compared.error);
  REQUIRE(compared.code == 0);
  CHECK_THAT(compared.error, ContainsSubstring("[8/8] short: gpt-seed-2"));
  CHECK_THAT(compared.out, ContainsSubstring("few lines"));
  CHECK_THAT(compared.out, ContainsSubstring("milliseconds a step"));
  CHECK(fs::exists(here / "out/few-lines/gpt-seed-1/summary.json"));
  CHECK_THAT(read_file(here / "out/results.md"), ContainsSubstring("## short"));
  const auto again = here.compare({"--json"});
  CHECK(again.error.empty());
  CHECK(Json::parse(again.out).at("problems").size() == 2);
}

TEST_CASE("compare refuses a comparison that is not right in one line") {
  const Workplace here;
  check_refused(run_zoo({"compare", here / "none.json"}), "none.json");
  check_refused(run_zoo({"compare"}), "no comparison given");
  here.set_comparison({{"runs", {{{"config", "gpt.json"}, {"scales", 1}}}}});
  check_refused(here.compare(), "scales: unknown key");
}

}  // namespace
}  // namespace zoo
