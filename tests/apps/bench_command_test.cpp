// What `zoo bench` says of a training step.
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

ProgramResult bench(const std::string& architecture, std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  write_file_synced(folder / "names.txt", "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\n");
  write_file_synced(folder / "config.json",
                    R"({"device": "cpu", "data": {"path": "names.txt"}, "architecture": ")" +
                        architecture + R"(", "training": {"max_steps": 9, "batch_size": 4}})");
  const auto config = (folder / "config.json").string();
  arguments.insert(arguments.begin(), {"bench", config, "--steps", "6", "--warmup", "2"});
  return run_zoo(arguments);
}

TEST_CASE("bench names the shares of a step's time, which add up to 100") {
  const auto result = bench("gpt", {"--json"});
  INFO(result.error);
  REQUIRE(result.code == 0);
  const auto json = nlohmann::json::parse(result.out);
  double sum = 0.0;
  for (const auto& [kind, percent] : json.at("time_percent").items()) sum += percent.get<double>();
  CHECK(sum == Approx(100.0));
  for (const char* kind : {"products", "attention", "norms", "optimizer", "data", "other"}) {
    CHECK(json.at("time_percent").at(kind).get<double>() > 0.0);
  }
  CHECK(json.at("time_percent").contains("waiting"));
  for (const char* number : {"step_ms", "watched_step_ms", "flops", "threads"}) {
    CHECK(json.at(number).get<double>() > 0.0);
  }
  const auto speed = json.at("flops").get<double>() / json.at("step_ms").get<double>() * 1e3;
  CHECK(json.at("flops_per_second").get<double>() == Approx(speed));
  CHECK(json.at("share_of_peak").get<double>() ==
        Approx(speed / json.at("peak_flops_per_second").get<double>()));
  CHECK(json.at("share_of_peak").get<double>() < 1.0);
}

TEST_CASE("bench shows them as a table") {
  const auto result = bench("gpt", {});
  REQUIRE(result.code == 0);
  CHECK_THAT(result.out, ContainsSubstring("ms a step over 6 steps"));
  CHECK_THAT(result.out, ContainsSubstring("\n  attention "));
  CHECK_THAT(result.out, ContainsSubstring("GFLOP a step"));
}

TEST_CASE("bench can leave all but the time away") {
  const auto json = nlohmann::json::parse(bench("gpt", {"--time-only", "--json"}).out);
  CHECK(json.size() == 2);
  CHECK(json.at("step_ms").get<double>() > 0.0);
  CHECK_THAT(bench("gpt", {"--time-only"}).out, !ContainsSubstring("products"));
}

TEST_CASE("bench refuses a model that has no steps") {
  check_refused(bench("ngram", {}), "counts in one pass, without steps");
}

}  // namespace
}  // namespace zoo
