#include <algorithm>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// A config for a few seconds of training, in a folder of its own.
class Workplace {
 public:
  Workplace() {
    write_file_synced(folder_ / "names.txt", kNames);
    write_file_synced(folder_ / "gpt.json", R"({
      "architecture": "gpt",
      "device": "cpu",
      "model": {"d_model": 16, "n_heads": 2, "n_layers": 1},
      "data": {"path": "names.txt", "val_fraction": 0.2},
      "training": {"max_steps": 30, "batch_size": 8, "evaluate_every": 10, "samples": 2}
    })");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  std::string config() const { return *this / "gpt.json"; }
  const std::string& run() {
    if (run_.empty()) {
      run_ = *this / "run";
      REQUIRE(run_zoo({"train", config(), "--out", run_, "--quiet"}).code == 0);
    }
    return run_;
  }

 private:
  static constexpr const char* kNames =
      "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\nhans\nida\nivan\n"
      "jana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmax\nmia\nnina\nnoah\nola\notto\npaul\n";
  TemporaryFolder folder_;
  std::string run_;
};

TEST_CASE("train, eval, generate and inspect work on a run, as text and as JSON") {
  Workplace here;
  const auto trained = run_zoo({"train", here.config(), "--out", here / "run"});
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, ContainsSubstring("step 30/30  val loss"));
  CHECK_THAT(trained.out, ContainsSubstring("counted 5-gram, interpolated"));
  CHECK_THAT(trained.out, ContainsSubstring("generate "));
  const auto summary = nlohmann::json::parse(read_file(here / "run/summary.json"));
  for (const char* key : {"run", "steps", "val_loss", "val_bits", "parameters", "seconds",
                          "step_ms", "tokens_per_second", "baselines", "samples"}) {
    CHECK(summary.contains(key));
  }
  CHECK(summary.at("samples").size() == 10);

  const auto measured = run_zoo({"eval", here / "run", "--json"});
  const auto evaluation = nlohmann::json::parse(measured.out);
  CHECK(evaluation.at("split") == "val");
  CHECK(evaluation.at("loss").get<double>() ==
        Approx(summary.at("val_loss").get<double>()).epsilon(1e-6));
  CHECK_THAT(run_zoo({"eval", here / "run", "--split", "train"}).out, ContainsSubstring("train"));

  const auto one = run_zoo({"generate", here / "run", "--count", "5", "--seed", "3", "--json"});
  const auto two = run_zoo({"generate", here / "run", "--count", "5", "--seed", "3", "--json"});
  CHECK(one.out == two.out);
  const auto samples = nlohmann::json::parse(one.out).at("samples");
  REQUIRE(samples.size() == 5);
  CHECK(samples[0].contains("in_training_data"));
  const auto prompted = run_zoo({"generate", here / "run", "--prompt", "an", "--greedy"});
  CHECK(prompted.out.starts_with("  an"));

  const auto inspected = nlohmann::json::parse(run_zoo({"inspect", here / "run", "--json"}).out);
  CHECK(inspected.at("parameters") == summary.at("parameters"));
  CHECK(inspected.at("flops_forward").get<std::int64_t>() > 0);
  const auto bytes = [&](const std::string& part) {
    return inspected.at(part + "_bytes").get<std::int64_t>();
  };
  CHECK(bytes("memory") == bytes("parameter") + bytes("buffer") + bytes("gradient") +
                               bytes("optimizer") + bytes("batch") + bytes("activation"));
  CHECK(bytes("optimizer") == 2 * bytes("parameter"));
  CHECK(inspected.at("flops_training").get<std::int64_t>() ==
        2 * inspected.at("multiply_adds_training").get<std::int64_t>());
  const auto shown = run_zoo({"inspect", here.config(), "--set", "optimizer.type=sgd"}).out;
  for (const char* part : {"block_0.attention.qkv", "multiply-adds, 2 each", "lasting",
                           "moments of sgd", "of them kept for the backward"}) {
    CHECK_THAT(shown, ContainsSubstring(part));
  }
}

TEST_CASE("a run folder works after it was moved and its data file is gone") {
  Workplace here;
  const auto run = here.run();
  fs::rename(run, here / "elsewhere");
  fs::remove(here / "names.txt");
  CHECK(run_zoo({"eval", here / "elsewhere"}).code == 0);
  CHECK(run_zoo({"generate", here / "elsewhere"}).code == 0);
  const auto extended =
      run_zoo({"resume", here / "elsewhere", "--set", "training.max_steps=40", "--quiet"});
  INFO(extended.error);
  CHECK(extended.code == 0);
}

TEST_CASE(
    "Ctrl-C finishes the step, saves and says how to go on; resume ends where it would have") {
  Workplace here;
  const std::vector<std::string> longer = {"--set", "training.max_steps=400", "--set",
                                           "training.evaluate_every=100"};
  std::vector<std::string> train = {"train", here.config(), "--out", here / "stopped"};
  train.insert(train.end(), longer.begin(), longer.end());
  const auto stopped = run_zoo(train, "step 100/400");
  INFO(stopped.error);
  CHECK(stopped.code == 130);
  CHECK_THAT(stopped.error, ContainsSubstring("resume " + (here / "stopped")));
  const auto resumed = run_zoo({"resume", here / "stopped", "--json", "--quiet"});
  INFO(resumed.error);
  REQUIRE(resumed.code == 0);

  train[3] = here / "whole";
  train.insert(train.end(), {"--quiet"});
  REQUIRE(run_zoo(train).code == 0);
  const auto model = "/checkpoints/step-400/model.safetensors";
  CHECK(read_file((here / "stopped") + model) == read_file((here / "whole") + model));

  check_refused(run_zoo({"resume", here / "whole"}), "is finished: 400 of 400 steps");
  check_refused(run_zoo({"resume", here / "whole", "--set", "model.d_model=8"}),
                "cannot change when a run goes on");
}

TEST_CASE("a model that counts goes through the same commands") {
  Workplace here;
  const auto ngram = std::vector<std::string>{"--set", "architecture=ngram", "--set", "model=null",
                                              "--set", "model.order=3"};
  std::vector<std::string> train = {"train", here.config(), "--out", here / "counted", "--json"};
  train.insert(train.end(), ngram.begin(), ngram.end());
  const auto trained = run_zoo(train);
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK(nlohmann::json::parse(trained.out).at("steps") == 1);
  CHECK(run_zoo({"eval", here / "counted"}).code == 0);
  CHECK(run_zoo({"generate", here / "counted"}).code == 0);
  CHECK_THAT(run_zoo({"inspect", here / "counted"}).out, ContainsSubstring("|V|^n = "));
  check_refused(run_zoo({"resume", here / "counted"}), "one pass");
}

TEST_CASE("bench times training, writing and attention") {
  const Workplace here;
  const auto bench = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"bench", here.config()});
    return run_zoo(more);
  };
  const auto training = bench({"--steps", "3", "--warmup", "1", "--json"});
  CHECK(nlohmann::json::parse(training.out).at("step_ms").get<double>() > 0.0);
  const auto writing = bench({"--generate", "2", "--steps", "3", "--warmup", "1"});
  CHECK_THAT(writing.out, ContainsSubstring("tokens a second in 2 rows"));
  const auto attention = bench({"--attention", "64,128"});
  INFO(attention.error);
  CHECK_THAT(attention.out, ContainsSubstring("grows as"));
  CHECK_THAT(attention.out, ContainsSubstring("fused"));
  check_refused(bench({"--attention", "64"}), "expected two lengths or more");
  check_refused(bench({"--attention", "64,x"}), "x is no length");
}

TEST_CASE("wrong configs are refused in one line") {
  Workplace here;
  const auto train = [&](const std::string& setting) {
    return run_zoo({"train", here.config(), "--out", here / "never", "--set", setting});
  };
  check_refused(run_zoo({"train", here / "missing.json"}), "no such config");
  write_file_synced(here / "broken.json", "{\n  \"architecture\": \"gpt\",\n  oops\n}");
  check_refused(run_zoo({"train", here / "broken.json"}), "line 3, column 3");
  check_refused(train("training.batch_size=\"many\""), "training.batch_size: got \"many\"");
  check_refused(train("model.n_head=2"), "did you mean n_heads?");
  check_refused(train("model.batch_size=2"), "it belongs in training");
  check_refused(train("architecture=gtp"), "did you mean gpt?");
  check_refused(train("model.n_heads=3"), "does not divide d_model 16; try 2");
  check_refused(train("model.block_size=0"), "model.block_size: 0 is outside >= 1");
  check_refused(train("model.dropout=1"), "outside [0, 1)");
  check_refused(train("data.path=no-such.txt"), "data.path: no file or folder no-such.txt");
  check_refused(train("model.block_size=2"), "set model.block_size to");
  CHECK(!fs::exists(here / "never"));
  write_file_synced(here / "empty.txt", "");
  check_refused(train("data.path=" + (here / "empty.txt")), "empty.txt");
  write_file_synced(here / "latin1.txt",
                    "ab\nc\xe9"
                    "d\n");
  check_refused(train("data.path=" + (here / "latin1.txt")), "byte");
  if (run_zoo({"validate", here.config(), "--set", "device=auto"}).code == 0) {
    const auto gpu = train("device=cuda:7");
    CHECK(gpu.code == 2);
    CHECK_THAT(gpu.error, ContainsSubstring("is not here"));
  }
}

TEST_CASE("an output folder that exists is left alone") {
  Workplace here;
  fs::create_directory(here / "taken");
  check_refused(run_zoo({"train", here.config(), "--out", here / "taken"}), "exists already");
  CHECK(fs::is_empty(here / "taken"));
}

TEST_CASE("damaged checkpoints are named, with the check that failed") {
  Workplace here;
  const auto run = here.run();
  const auto best = run + "/checkpoints/" + fs::read_symlink(run + "/checkpoints/best").string();
  const auto model = best + "/model.safetensors";
  const auto bytes = read_file(model);
  fs::resize_file(model, bytes.size() - 10);
  check_refused(run_zoo({"generate", run}), "it was cut");
  auto tampered = bytes;
  tampered.back() = static_cast<char>(tampered.back() ^ 1);
  write_file_synced(model, tampered);
  check_refused(run_zoo({"eval", run}), "SHA-256");
  check_refused(run_zoo({"eval", here / "no-run"}), "no such run folder");
  check_refused(run_zoo({"eval", run, "--checkpoint", "step-77"}), "step-77");
}

TEST_CASE("wrong arguments of generate and eval are refused in one line") {
  Workplace here;
  const auto run = here.run();
  check_refused(run_zoo({"generate", run, "--prompt", "Zo7"}), "\"Z\"");
  check_refused(run_zoo({"generate", run, "--count", "0"}), "--count: got 0");
  check_refused(run_zoo({"generate", run, "--temperature", "-1"}), "temperature");
  check_refused(run_zoo({"generate", run, "--top-p", "1.5"}), "top_p");
  check_refused(run_zoo({"generate", run, "--tempreature", "1"}), "tempreature");
  check_refused(run_zoo({"eval", run, "--split", "test"}), "test");
  check_refused(run_zoo({"generate"}), "no run given");
  check_refused(run_zoo({"trian", here.config()}), "did you mean train?");
}

TEST_CASE("a second process on the same run is refused") {
  Workplace here;
  const auto run = here.run();
  const FolderLock lock(run);
  check_refused(run_zoo({"resume", run, "--set", "training.max_steps=50"}),
                "another process is using this run");
}

TEST_CASE("a model that no memory holds is refused before there is a run") {
  if (kSanitized) return;
  Workplace here;
  const auto run = here / "large";
  for (const char* size : {"model.d_model=4000000", "model.d_model=1000000000"}) {
    check_refused(run_zoo({"train", here.config(), "--set", size, "--out", run}),
                  "not enough memory");
  }
  CHECK_FALSE(fs::exists(run));
}

TEST_CASE("every command has help with an example, and lists work") {
  std::istringstream names(run_zoo({"commands"}).out);
  int count = 0;
  for (std::string name; std::getline(names, name); ++count) {
    const auto help = run_zoo({name, "--help"});
    INFO(name);
    CHECK(help.code == 0);
    CHECK_THAT(help.out, ContainsSubstring("Example:\n  zoo " + name));
  }
  CHECK(count >= 10);
  CHECK(run_zoo({}).code == 0);
  CHECK_THAT(run_zoo({"list"}).out, ContainsSubstring("gpt"));
  CHECK_THAT(run_zoo({"options", "gpt"}).out, ContainsSubstring("n_heads"));
  CHECK(nlohmann::json::parse(run_zoo({"schema"}).out).contains("properties"));
  CHECK_THAT(run_zoo({"--version"}).out, ContainsSubstring("zoo "));
}

TEST_CASE("validate shows every value and where it came from") {
  Workplace here;
  const auto shown = run_zoo({"validate", here.config(), "--set", "model.d_model=32"});
  CHECK(shown.code == 0);
  std::istringstream lines(shown.out);
  std::string d_model;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("model.d_model") != std::string::npos) d_model = line;
  }
  CHECK_THAT(d_model, ContainsSubstring("32") && ContainsSubstring("--set"));
  CHECK_THAT(shown.out, ContainsSubstring("valid"));
}

}  // namespace
}  // namespace zoo
