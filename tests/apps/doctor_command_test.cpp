// `zoo doctor` as its user meets it.
#include <algorithm>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// The letters of a number, as a name of four.
std::string name_of_number(int number) {
  std::string name;
  for (int i = 0; i < 4; ++i, number /= 10) name += static_cast<char>('a' + number % 10);
  return name;
}

/// A config of 2,000 names in which nothing is wrong, in a folder of its own.
class Workplace {
 public:
  Workplace() {
    std::string names;
    for (int i = 0; i < 2000; ++i) names += name_of_number(i * 7919 % 10'000) + "\n";
    replace_file(folder_ / "names.txt", names);
    replace_file(folder_ / "names.json", R"({
      "architecture": "gpt",
      "model": {"block_size": 8, "d_model": 16, "n_heads": 2, "n_layers": 1, "dropout": 0.1},
      "data": {"path": "names.txt"},
      "training": {"max_steps": 200, "batch_size": 16, "evaluate_every": 50}
    })");
    replace_file(folder_ / "images.csv", "0,1,2,3,a\n9,8,7,6,b\n0,1,2,4,b\n4,4,4,4,a\n");
    replace_file(folder_ / "images.json", R"({
      "architecture": "mlp",
      "task": "image_classification",
      "data": {"path": "images.csv", "format": "csv", "val_fraction": 0},
      "training": {"max_steps": 10, "batch_size": 2, "evaluate_every": 5}
    })");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult doctor(std::vector<std::string> rest) const {
    rest.insert(rest.begin(), {"doctor", *this / "names.json"});
    return run_zoo(rest);
  }

 private:
  TemporaryFolder folder_;
};

void check_fits(const std::string& text) {
  std::istringstream lines(text.substr(text.find('\n') + 1));  // the first one names the config
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}

TEST_CASE("doctor tells what it found, and has nothing to say of a sound config") {
  const auto seen = run_zoo({"doctor", "configs/names/gpt.json"});
  INFO(seen.error);
  REQUIRE(seen.code == 0);
  INFO(seen.out);
  for (const char* part :
       {"configs/names/gpt.json: gpt for language_model on cpu", "train 26,724, val 2,969 lines",
        "16 tokens of a block of 16", "27, of which train uses 27", "202,816",
        "8,000 steps of 32 rows, 9.6 passes over train", "of which model, optimizer and a step 12.",
        " ms, the mean of ", ", 9 times", "in all      about "}) {
    CHECK_THAT(seen.out, ContainsSubstring(part));
  }
  CHECK(seen.out.ends_with("What I would change\n\n  nothing\n"));
  check_fits(seen.out);
}

TEST_CASE("doctor says what it would change, and why") {
  const Workplace here;
  const auto seen =
      here.doctor({"--set", "model.block_size=4", "--set", "schedule.warmup_steps=200", "--set",
                   "training.evaluate_every=1000"});
  INFO(seen.error);
  REQUIRE(seen.code == 0);
  INFO(seen.out);
  for (const char* part :
       {"4 tokens of a block of 4, where longer ones are cut",
        "- Training would stop before its first step: data: ", "--set data.long_lines=skip.",
        "- training.evaluate_every is 1000 and", "--set training.evaluate_every=20.",
        "- schedule.warmup_steps is 200", "--set schedule.warmup_steps=10."}) {
    CHECK_THAT(seen.out, ContainsSubstring(part));
  }
  CHECK(std::count(seen.out.begin(), seen.out.end(), '\n') < 30);
  check_fits(seen.out);
}

TEST_CASE("doctor --json has everything in one object") {
  const Workplace here;
  const auto seen = here.doctor({"--json", "--set", "optimizer.learning_rate=1e-6"});
  INFO(seen.error);
  REQUIRE(seen.code == 0);
  const auto json = nlohmann::json::parse(seen.out);
  CHECK(json.at("architecture") == "gpt");
  CHECK(json.at("splits").at("train").at("examples") == 1800);
  CHECK(json.at("splits").at("val").at("near_train").is_number());
  CHECK(json.at("longest") == 5);
  CHECK(json.at("block_size") == 8);
  CHECK(json.at("vocabulary").at("used") == 11);
  CHECK(json.at("steps") == 200);
  CHECK(json.at("memory").at("training_bytes") > 0);
  CHECK(json.at("memory").at("available_bytes") > json.at("memory").at("process_bytes"));
  const auto& trial = json.at("trial");
  const auto seconds =
      0.2 * trial.at("step_ms").get<double>() + 5.0 * trial.at("evaluation_seconds").get<double>();
  CHECK(trial.at("evaluations") == 5);
  CHECK(trial.at("minutes").get<double>() == Approx(seconds / 60.0));
  REQUIRE(json.at("advice").size() == 1);
  CHECK(json.at("advice").at(0).at("id") == "learning-rate");
  CHECK_THAT(json.at("advice").at(0).at("sentence").get<std::string>(),
             ContainsSubstring("--set optimizer.learning_rate=0.001"));
}

TEST_CASE("doctor looks at images and at models that count") {
  const Workplace here;
  const auto images = run_zoo({"doctor", here / "images.json"});
  INFO(images.error);
  REQUIRE(images.code == 0);
  CHECK_THAT(images.out, ContainsSubstring("train 4 images"));
  CHECK_THAT(images.out, ContainsSubstring("- There is no val split"));
  const auto counted = run_zoo({"doctor", "configs/names/ngram.json", "--set", "model.order=6"});
  INFO(counted.error);
  REQUIRE(counted.code == 0);
  CHECK_THAT(counted.out, ContainsSubstring("counts in one pass"));
  CHECK_THAT(counted.out, ContainsSubstring("--set model.order=4."));
  CHECK(nlohmann::json::parse(run_zoo({"doctor", "configs/names/ngram.json", "--json"}).out)
            .at("advice")
            .empty());
}

TEST_CASE("a batch that this machine cannot hold is told before it is tried") {
  const Workplace here;
  const auto seen = here.doctor({"--json", "--set", "training.batch_size=50000000"});
  INFO(seen.error);
  REQUIRE(seen.code == 0);
  const auto json = nlohmann::json::parse(seen.out);
  CHECK_FALSE(json.contains("trial"));
  const auto& advice = json.at("advice");
  CHECK(std::any_of(advice.begin(), advice.end(),
                    [](const auto& one) { return one.at("id") == "memory"; }));
}

TEST_CASE("doctor ends in one line where there is nothing to look at") {
  const Workplace here;
  check_refused(run_zoo({"doctor"}), "config");
  check_refused(run_zoo({"doctor", here / "none.json"}), "no such config");
  check_refused(here.doctor({"--set", "data.path=no.txt"}), "no.txt");
  check_refused(here.doctor({"--set", "model.n_heads=3"}), "model.n_heads: 3 does not divide");
  check_refused(here.doctor({"--set", "training.max_steps=null"}), "training.max_steps: not set");
  check_refused(here.doctor({"--set", "training.initialize_from=nowhere"}), "nowhere");
}

}  // namespace
}  // namespace zoo
