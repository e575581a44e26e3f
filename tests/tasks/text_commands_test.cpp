// Tokenizers, pairs and translations as the user meets them.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/mo_file.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// A config for a few seconds of learning to sort, in a folder of its own.
class Workplace {
 public:
  Workplace() {
    write_file_synced(folder_ / "sort.json", R"({
      "architecture": "gpt",
      "task": "sequence_to_sequence",
      "device": "cpu",
      "model": {"block_size": 10, "d_model": 16, "n_heads": 2, "n_layers": 1},
      "data": {"format": "pairs", "synthetic": "sort", "min_length": 3, "max_length": 3,
               "symbols": 3, "val_fraction": 0.2},
      "training": {"max_steps": 20, "batch_size": 8, "evaluate_every": 10, "samples": 2}
    })");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  std::string config() const { return *this / "sort.json"; }
  ProgramResult show(const std::vector<std::string>& settings) const {
    std::vector<std::string> arguments = {"data", "show", config()};
    for (const auto& setting : settings) {
      arguments.insert(arguments.end(), {"--set", setting});
    }
    return run_zoo(arguments);
  }
  /// A file of this folder with that text, for --set.
  std::string file(const std::string& name, const std::string& text) const {
    replace_file(folder_ / name, text);
    return *this / name;
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a run on pairs is trained, measured and translates, as text and as JSON") {
  const Workplace here;
  const auto trained = run_zoo({"train", here.config(), "--out", here / "run"});
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  CHECK_THAT(trained.error, ContainsSubstring("pairs: train 22, val 5"));
  CHECK_THAT(trained.error, ContainsSubstring("exact_match"));
  CHECK_THAT(trained.error, ContainsSubstring(" → "));
  CHECK_THAT(trained.out, ContainsSubstring("translate "));
  const auto summary = nlohmann::json::parse(read_file(here / "run/summary.json"));
  CHECK(summary.at("samples").size() == 5);
  CHECK(summary.contains("val_exact_match"));

  const auto evaluation = nlohmann::json::parse(run_zoo({"eval", here / "run", "--json"}).out);
  for (const char* key : {"loss", "bits", "tokens", "accuracy", "exact_match", "bleu", "chrf"}) {
    CHECK(evaluation.contains(key));
  }
  CHECK(evaluation.at("exact_match") == summary.at("val_exact_match"));
  CHECK_THAT(run_zoo({"eval", here / "run"}).out, ContainsSubstring("chrF"));

  const auto translated = run_zoo({"translate", here / "run", "210", "0"});
  CHECK(translated.code == 0);
  CHECK(translated.out.starts_with("210 → "));
  const auto json =
      nlohmann::json::parse(run_zoo({"translate", here / "run", "210", "--json"}).out);
  CHECK(json.at("results").at(0).at("source") == "210");
  CHECK(json.at("results").at(0).contains("score"));
  const auto piped = run_zoo({"translate", here / "run"}, "", "210\n001\n");
  CHECK(std::count(piped.out.begin(), piped.out.end(), '\n') == 2);

  check_refused(run_zoo({"translate", here / "run", "210", "2103210"}),
                "source 2: the character \"3\"");
  check_refused(run_zoo({"translate", here / "run", "012012012"}),
                "source 1: has 9 tokens and the model reads at most 8 of a source");
  CHECK(run_zoo({"translate", here / "run", "012012012", "--cut"}).code == 0);
  check_refused(run_zoo({"generate", here / "run"}), "translate");
  check_refused(run_zoo({"eval", here / "run", "--limit", "0"}), "--limit: got 0");
}

TEST_CASE("data show prints counts, and rows with what is predicted, ignored and padding") {
  const Workplace here;
  const auto shown = here.show({"data.min_length=1"});
  INFO(shown.error);
  REQUIRE(shown.code == 0);
  for (const char* part : {"pairs for sequence_to_sequence by gpt", "train", "[SEP]", "·", "░",
                           "batches of 8 rows an epoch"}) {
    CHECK_THAT(shown.out, ContainsSubstring(part));
  }
  const auto json =
      nlohmann::json::parse(run_zoo({"data", "show", here.config(), "--count", "9", "--json"}).out);
  CHECK(json.at("splits").at("train").at("examples") == 22);
  CHECK(json.at("splits").at("val").at("longest") == 8);
  REQUIRE(json.at("rows").size() == 9);
  const auto& row = json.at("rows").at(0);
  CHECK(row.at("tokens").at(4) == "[SEP]");
  CHECK(row.at("targets").at(3) == -100);
  CHECK(row.at("targets").at(4) == row.at("ids").at(5));
  check_refused(run_zoo({"data", "shwo", here.config()}), "did you mean show?");
  check_refused(run_zoo({"data", "show", here.config(), "--count", "0"}), "--count: got 0");
}

TEST_CASE("wrong pair files, labels and catalogues are refused in one line") {
  const Workplace here;
  const std::string pairs = "data.synthetic=null";
  const auto one_column = here.file("one.tsv", "a\tb\nc\n");
  check_refused(here.show({pairs, "data.path=" + one_column}), "one.tsv, line 2");
  const auto empty = here.file("empty.tsv", "a\tb\n\tc\n");
  check_refused(here.show({pairs, "data.path=" + empty}), "empty.tsv, line 2");
  const auto labels = here.file("labels.tsv", "x\tone\n\ttwo\n");
  check_refused(here.show({pairs, "data.format=labelled", "data.path=" + labels}),
                "labels.tsv, line 2");
  const auto three = here.file("three.txt", "a\nb\nc\n");
  const auto two = here.file("two.txt", "a\nb\n");
  check_refused(here.show({pairs, "data.path=" + three, "data.target_path=" + two}), "two.txt");
  check_refused(here.show({pairs, "data.catalogues=tr", "data.catalogue_folder=" + (here / "")}),
                "iso-codes");
  fs::create_directories(here / "tr/LC_MESSAGES");
  const auto whole = mo_file({mo_header("UTF-8"), {"File", "Dosya"}});
  here.file("tr/LC_MESSAGES/cut.mo", whole.substr(0, whole.size() / 2));
  check_refused(here.show({pairs, "data.catalogues=tr", "data.catalogue_folder=" + (here / "")}),
                "cut.mo");
  check_refused(here.show({"model.block_size=6"}), "set model.block_size to 8");
  check_refused(here.show({"data.synthetic=srot"}), "did you mean sort?");
  check_refused(here.show({"data.format=lines"}), "data.");
}

TEST_CASE("tokenizers are trained, encode and decode from the command line") {
  const Workplace here;
  std::string text;
  for (int i = 0; i < 50; ++i)
    text += "the cat sat on the mat, İstanbul " + std::to_string(i) + "\n";
  const auto corpus = here.file("text.txt", text);
  for (const std::string type : {"character", "bpe", "byte_bpe", "wordpiece"}) {
    INFO(type);
    const auto out = here / (type + ".json");
    const auto trained = run_zoo(
        {"tokenizer", "train", corpus, "--type", type, "--vocab-size", "300", "--out", out});
    INFO(trained.error);
    REQUIRE(trained.code == 0);
    CHECK_THAT(trained.out, ContainsSubstring(type));
    const auto encoded = run_zoo({"tokenizer", "encode", out, "the cat"});
    REQUIRE(encoded.code == 0);
    const auto decoded = run_zoo({"tokenizer", "decode", out, encoded.out});
    CHECK(decoded.out == "the cat\n");
  }
  const auto bytes = here / "byte_bpe.json";
  const auto lines =
      run_zoo({"tokenizer", "encode", bytes, "--json-lines"}, "", "\"the\\n\"\n\"\"\n");
  std::istringstream out(lines.out);
  std::string first, second;
  std::getline(out, first);
  std::getline(out, second);
  CHECK(nlohmann::json::parse(first).size() >= 1);
  CHECK(second == "[]");
  check_refused(run_zoo({"tokenizer", "decode", bytes, "99999"}), "ids are 0 to");
  check_refused(run_zoo({"tokenizer", "decode", bytes, "x"}), "is not a token id");
  check_refused(run_zoo({"tokenizer", "encode", here / "none.json", "a"}), "none.json");
  check_refused(run_zoo({"tokenizer", "traim", corpus}), "did you mean train?");
  check_refused(run_zoo({"tokenizer", "train", corpus, "--vocab-size", "100", "--out", bytes}),
                "vocab_size");
  check_refused(run_zoo({"tokenizer", "train", corpus}), "--out is missing");
  here.file("damaged.json",
            "{\"version\": \"1.0\", \"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": -1}, "
            "\"merges\": []}}");
  check_refused(run_zoo({"tokenizer", "encode", here / "damaged.json", "a"}), "/model/vocab");
}

TEST_CASE("a tokenizer made elsewhere is taken, kept in the run and must have the roles' tokens") {
  const Workplace here;
  const auto corpus = here.file("digits.txt", "012 210 0 1 2 221 100\n");
  const auto file = here / "digits.json";
  REQUIRE(run_zoo({"tokenizer", "train", corpus, "--type", "character", "--boundary", "<s>",
                   "--separator", "<to>", "--out", file})
              .code == 0);
  std::vector<std::string> train = {
      "train", here.config(), "--quiet", "--out", here / "run", "--set", "tokenizer.path=" + file};
  check_refused(run_zoo(train), "tokenizer.boundary");
  train.insert(train.end(),
               {"--set", "tokenizer.boundary=<s>", "--set", "tokenizer.separator=<to>"});
  const auto trained = run_zoo(train);
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  fs::remove(file);
  fs::rename(here / "run", here / "moved");
  CHECK(run_zoo({"eval", here / "moved"}).code == 0);
  CHECK(run_zoo({"translate", here / "moved", "210"}).code == 0);
  CHECK(run_zoo({"resume", here / "moved", "--quiet", "--set", "training.max_steps=25"}).code == 0);
}

}  // namespace
}  // namespace zoo
