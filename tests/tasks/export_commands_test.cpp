#include <cmath>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Short runs on names, made when they are first asked for.
class Workplace {
 public:
  Workplace() {
    write_file_synced(folder_ / "names.txt",
                      "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\n"
                      "hans\nida\nivan\njana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmia\n");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }

  /// A run of an architecture with a model section, "{}" for its defaults.
  std::string run(const std::string& name, const std::string& architecture,
                  const std::string& model) const {
    write_file_synced(folder_ / (name + ".json"),
                      R"({"architecture": ")" + architecture + R"(", "device": "cpu", "model": )" +
                          model + R"(, "data": {"path": "names.txt", "val_fraction": 0.2},
                      "training": {"max_steps": 20, "batch_size": 8, "samples": 1}})");
    const auto trained =
        run_zoo({"train", *this / (name + ".json"), "--out", *this / name, "--quiet"});
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    return *this / name;
  }
  std::string gpt() const {
    return run("gpt", "gpt", R"({"d_model": 16, "n_heads": 2, "n_layers": 1, "block_size": 12})");
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("an export stands in for its run, wherever the run has gone") {
  const Workplace here;
  const auto run = here.gpt();
  const auto exported = run_zoo({"export", run, "--to", "torchscript", "--out", here / "model.pt"});
  INFO(exported.error);
  REQUIRE(exported.code == 0);
  CHECK_THAT(exported.out, ContainsSubstring("the largest difference from the run is"));
  CHECK_THAT(exported.out, ContainsSubstring("forward    [1,12] [1]"));
  const auto proof = nlohmann::json::parse(read_file(here / "model.pt.proof.json"));
  CHECK(proof.at("largest_difference").get<double>() <= 1e-5);
  CHECK(proof.at("bytes") == fs::file_size(here / "model.pt"));

  const std::vector<std::string> rest = {"--count", "4", "--seed", "3", "--json"};
  const auto texts_of = [&](const std::string& path) {
    std::vector<std::string> arguments = {"generate", path};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    return nlohmann::json::parse(run_zoo(arguments).out).at("samples");
  };
  const auto of_run = texts_of(run);
  const auto of_export = texts_of(here / "model.pt");
  REQUIRE(of_export.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) CHECK(of_export[i].at("text") == of_run[i].at("text"));
  const auto loss_of = [&](const std::vector<std::string>& arguments) {
    return nlohmann::json::parse(run_zoo(arguments).out).at("loss").get<double>();
  };
  const auto expected = loss_of({"eval", run, "--json"});

  fs::remove_all(run);
  CHECK(loss_of({"eval", here / "model.pt", "--json", "--set",
                 "data.path=" + (here / "names.txt")}) == Approx(expected).epsilon(1e-5));
  const auto written = run_zoo({"generate", here / "model.pt", "--count", "2"});
  CHECK(written.code == 0);
  CHECK_THAT(written.error, ContainsSubstring("texts of the training data are not marked"));
}

TEST_CASE("by default an export lies in its run, and as JSON it says what it proved") {
  const Workplace here;
  const auto run = here.run("mlp", "mlp", R"({"d_hidden": 8})");
  const auto exported = run_zoo({"export", run, "--json"});
  const auto json = nlohmann::json::parse(exported.out);
  CHECK(json.at("file") == run + "/model.pt");
  CHECK(json.at("calls").size() >= 6);
  CHECK(fs::exists(run + "/model.pt.proof.json"));
}

TEST_CASE("export and what opens exports refuse mistakes with the place and what would do") {
  const Workplace here;
  const auto run = here.gpt();
  const auto file = here / "model.pt";
  REQUIRE(run_zoo({"export", run, "--out", file}).code == 0);
  const auto bytes = read_file(file);
  check_refused(run_zoo({"export", run, "--out", file}), "exists already");
  CHECK(read_file(file) == bytes);
  check_refused(run_zoo({"export", run, "--to", "torchscrip"}),
                "choose torchscript; did you mean torchscript?");
  check_refused(run_zoo({"export", run, "--out", here / "no/where.pt"}), "no/");
  check_refused(run_zoo({"export", here / "nothing"}), "no such run folder");
  check_refused(run_zoo({"export", file}), "is a file");
  check_refused(run_zoo({"embed", file, "ada"}), "zoo generate` read exports");
  check_refused(run_zoo({"eval", file, "--checkpoint", "last"}), "leave it out");
  check_refused(run_zoo({"eval", run, "--set", "data.path=x"}), "is for exports");
  check_refused(run_zoo({"eval", file, "--set", "data.path=" + (here / "gone.txt")}), "gone.txt");

  fs::remove_all(run + "/checkpoints");
  check_refused(run_zoo({"export", run, "--out", here / "two.pt"}), "checkpoint");

  write_file_synced(here / "text.pt", "hello");
  check_refused(run_zoo({"generate", here / "text.pt"}), "is no zip archive");
  auto damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(~damaged[bytes.size() / 2]);
  write_file_synced(here / "damaged.pt", damaged);
  check_refused(run_zoo({"generate", here / "damaged.pt"}), "is damaged");
}

TEST_CASE("a full disk leaves no part of an export behind") {
  const Workplace here;
  const auto run = here.gpt();
  check_refused(run_zoo({"export", run, "--out", "/dev/full/model.pt"}), "/dev/full");
  check_refused(run_zoo({"export", run, "--out", here / "m.pt"}, "", "", /*most_file_bytes=*/4096),
                "m.pt");
  for (const char* end : {"", ".part", ".proof.json"})
    CHECK_FALSE(fs::exists((here / "m.pt") + end));
}

TEST_CASE("generate prints tokens as they come, side by side, and with their probabilities") {
  const Workplace here;
  const auto run = here.gpt();
  const auto plain = run_zoo({"generate", run, "--count", "3", "--prompt", "an"});
  const auto streamed = run_zoo({"generate", run, "--count", "3", "--prompt", "an", "--stream"});
  std::string unmarked;
  std::istringstream lines(plain.out);
  for (std::string line; std::getline(lines, line) && line.starts_with("  an");) {
    unmarked += line.substr(0, line.find(" *")) + "\n";
  }
  CHECK(streamed.out == unmarked);

  const auto other = here.run("bigram", "bigram", "{}");
  const auto table = run_zoo({"generate", run, other, "--count", "2", "--samplers",
                              "greedy,top-k=3,top-p=0.9+temperature=0.5"});
  INFO(table.error);
  CHECK(table.code == 0);
  CHECK_THAT(table.out, ContainsSubstring("greedy"));
  CHECK_THAT(table.out, ContainsSubstring("top-p=0.9+temperature=0.5"));
  CHECK_THAT(table.out, ContainsSubstring(other));
  const auto json = nlohmann::json::parse(
      run_zoo({"generate", run, other, "--count", "2", "--samplers", "greedy,top-k=1", "--json"})
          .out);
  REQUIRE(json.at("results").size() == 4);
  const auto& results = json.at("results");
  CHECK(results[0].at("sampler") == "greedy");
  CHECK(results[3].at("run") == other);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(results[0].at("samples")[i].at("text") == results[1].at("samples")[i].at("text"));
  }

  const auto shown = nlohmann::json::parse(
      run_zoo({"generate", run, "--count", "2", "--show-probabilities", "--json"}).out);
  for (const auto& sample : shown.at("samples")) {
    double log_probability = 0.0;
    for (const auto& token : sample.at("tokens")) {
      CHECK(token.at("entropy_bits").get<double>() > 0.0);
      log_probability += std::log(token.at("probability").get<double>());
    }
    CHECK(log_probability == Approx(sample.at("log_probability").get<double>()).epsilon(1e-6));
  }
  const auto copied = nlohmann::json::parse(
      run_zoo({"generate", run, "--count", "2", "--longest-match", "--prompt", "luca", "--json"})
          .out);
  for (const auto& sample : copied.at("samples")) {
    const auto& longest = sample.at("longest_training_substring");
    CHECK(longest.at("characters").get<int>() >= 4);
    CHECK(longest.at("characters") == longest.at("text").get<std::string>().size());
    CHECK_THAT(sample.at("text").get<std::string>(),
               ContainsSubstring(longest.at("text").get<std::string>()));
  }
  CHECK_THAT(run_zoo({"generate", run, "--count", "1", "--show-probabilities"}).out,
             ContainsSubstring("token  probability  entropy, bits"));
}

TEST_CASE("generate refuses what goes together badly and tells about a prompt that is too long") {
  const Workplace here;
  const auto run = here.gpt();
  check_refused(run_zoo({"generate", run, "--stream", "--json"}), "--stream");
  check_refused(run_zoo({"generate", run, run, "--stream"}), "one RUN");
  check_refused(run_zoo({"generate", run, "--samplers", "greedy,top-k"}), "top_k");
  check_refused(run_zoo({"generate", run, "--samplers", "top-q=1"}), "did you mean");
  check_refused(run_zoo({"generate", run, "--samplers", "top-k=x"}), "not NAME=NUMBER");
  check_refused(run_zoo({"generate", run, "--samplers", "top-p=1.5"}), "top_p");
  check_refused(run_zoo({"generate", run, "--slide"}), "rotary or none");
  check_refused(run_zoo({"generate"}), "no run given");
  const auto written = run_zoo({"generate", run, "--prompt", "annaannaannaanna", "--count", "1"});
  CHECK(written.code == 0);
  CHECK_THAT(written.error, ContainsSubstring("the prompt has 17 tokens"));
  CHECK_THAT(written.error, ContainsSubstring("sees the last 12"));
}

}  // namespace
}  // namespace zoo
