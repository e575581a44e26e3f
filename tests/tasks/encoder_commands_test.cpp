// What encoders and encoder-decoders do for their users: fill, classify, embed, attention, beams.
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/json_of.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

using Arguments = std::vector<std::string>;

/// Runs of a few seconds: a masked language model, a classifier that starts from it, a translator.
class Workplace {
 public:
  Workplace() {
    std::string names, labelled;
    for (const char* name :
         {"ada",  "anna", "ava",  "bea",  "bob", "cara", "dana", "dora", "ella", "emma",
          "evan", "finn", "gina", "hans", "ida", "ivan", "jana", "john", "kai",  "lara",
          "lea",  "leo",  "lina", "max",  "mia", "nina", "noah", "ola",  "otto", "paul"}) {
      names += std::string(name) + "\n";
      labelled += std::string(std::string(name).ends_with('a') ? "f" : "m") + "\t" + name + "\n";
    }
    write_file_synced(folder_ / "names.txt", names);
    write_file_synced(folder_ / "labelled.tsv", labelled);
    write_file_synced(folder_ / "bert.json", R"({
      "architecture": "bert",
      "task": "masked_language_model",
      "device": "cpu",
      "tokenizer": {"boundary": "[CLS]", "unknown": "replace"},
      "model": {"block_size": 10, "d_model": 16, "n_heads": 2, "n_layers": 1},
      "data": {"path": "names.txt", "val_fraction": 0.2},
      "training": {"max_steps": 30, "batch_size": 8, "evaluate_every": 10, "samples": 2}
    })");
    write_file_synced(folder_ / "sort.json", R"({
      "architecture": "encoder_decoder",
      "task": "sequence_to_sequence",
      "device": "cpu",
      "model": {"block_size": 10, "d_model": 16, "n_heads": 2, "n_layers": 1},
      "data": {"format": "pairs", "synthetic": "sort", "min_length": 3, "max_length": 3,
               "symbols": 3, "val_fraction": 0.2},
      "training": {"max_steps": 20, "batch_size": 8, "evaluate_every": 10, "samples": 2}
    })");
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult train(const char* config, const char* run, const Arguments& settings = {}) const {
    Arguments arguments = {"train", *this / config, "--out", *this / run};
    for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    auto result = run_zoo(arguments);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result;
  }
  Arguments classifier() const {
    return {"task=text_classification", "data.path=" + *this / "labelled.tsv",
            "data.format=labelled", "training.initialize_from=" + *this / "mlm"};
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a masked language model is trained, fills, embeds and shows its attention") {
  const Workplace here;
  const auto trained = here.train("bert.json", "mlm");
  CHECK_THAT(trained.error, ContainsSubstring("[MASK]"));
  CHECK_THAT(trained.out, ContainsSubstring("counted between neighbours"));
  CHECK_THAT(trained.out, ContainsSubstring("fill "));

  CHECK_THAT(run_zoo({"eval", here / "mlm"}).out, ContainsSubstring("accuracy"));
  CHECK(json_of({"eval", here / "mlm", "--show", "3", "--json"}).at("answers").size() == 3);
  const auto filled = run_zoo({"fill", here / "mlm", "em[MASK]a", "[MASK]l[MASK]", "--top", "3"});
  CHECK(filled.code == 0);
  CHECK(filled.out.starts_with("em[MASK]a → em"));
  const auto json = json_of({"fill", here / "mlm", "em[MASK]a", "--json"});
  CHECK(json.at("results").at(0).at("source") == "em[MASK]a");
  CHECK(json.at("results").at(0).at("places").at(0).size() == 5);
  CHECK(run_zoo({"fill", here / "mlm"}, "", "a[MASK]a\n[MASK]a\n").code == 0);

  const auto vectors = json_of({"embed", here / "mlm", "emma", "--json"});
  CHECK(vectors.at("results").at(0).at("vector").size() == 16);
  const auto nearest =
      run_zoo({"embed", here / "mlm", "emma", "--nearest", here / "names.txt", "--top", "2"});
  CHECK(nearest.out.starts_with("emma\n  1.000  emma\n"));
  const auto first = json_of({"embed", here / "mlm", "emma", "--nearest", here / "names.txt",
                              "--pooling", "first", "--json"});
  CHECK(first.at("results").at(0).at("nearest").size() == 5);

  const auto drawn = run_zoo({"attention", here / "mlm", "emma", "--out", here / "page.html"});
  CHECK(drawn.code == 0);
  CHECK_THAT(read_file(here / "page.html"), ContainsSubstring("<!doctype html>"));
}

TEST_CASE("a classifier starts from a masked language model and says what it took over") {
  const Workplace here;
  here.train("bert.json", "mlm");
  const auto trained = here.train("bert.json", "sex", here.classifier());
  CHECK_THAT(trained.error, ContainsSubstring("tensors taken over"));
  CHECK_THAT(trained.error,
             ContainsSubstring("new: pooler.weight, pooler.bias, classifier.weight"));
  CHECK_THAT(trained.error, ContainsSubstring("left out: masked_token_head."));
  CHECK_THAT(trained.error, ContainsSubstring("2 classes"));
  CHECK_THAT(trained.out, ContainsSubstring("naive Bayes, 1- to 4-grams"));
  CHECK_THAT(trained.out, ContainsSubstring("macro_f1"));

  const auto evaluation = run_zoo({"eval", here / "sex"});
  CHECK_THAT(evaluation.out, ContainsSubstring("is, taken for"));
  const auto json = json_of({"eval", here / "sex", "--json"});
  CHECK(json.at("confusion").size() == 2);
  CHECK(json.at("classes") == nlohmann::json({"f", "m"}));

  const auto classified = run_zoo({"classify", here / "sex", "emma", "noah"});
  CHECK(classified.code == 0);
  CHECK(classified.out.starts_with("emma → "));
  const auto one = json_of({"classify", here / "sex", "emma", "--json"}).at("results").at(0);
  CHECK(one.at("input") == "emma");
  CHECK(one.at("top").size() == 2);
  CHECK(one.at("probability") == one.at("top").at(0).at("probability"));

  // The run goes on without the one it started from.
  std::filesystem::remove_all(here / "mlm");
  const auto resumed =
      run_zoo({"resume", here / "sex", "--set", "training.max_steps=40", "--quiet"});
  INFO(resumed.error);
  CHECK(resumed.code == 0);
}

TEST_CASE("a translator answers by beams, and shows attention to its source") {
  const Workplace here;
  here.train("sort.json", "sort");
  const auto best =
      json_of({"translate", here / "sort", "210", "--beams", "4", "--n-best", "3", "--json"});
  const auto& hypotheses = best.at("results").at(0).at("n_best");
  CHECK(hypotheses.size() == 3);
  CHECK(hypotheses.at(0).at("text") == best.at("results").at(0).at("text"));
  const auto greedy = run_zoo({"translate", here / "sort", "210"});
  CHECK(run_zoo({"translate", here / "sort", "210", "--beams", "1"}).out == greedy.out);
  const auto evaluation = json_of({"eval", here / "sort", "--baselines", "--json"});
  CHECK(evaluation.at("translators").size() == 3);
  CHECK_THAT(run_zoo({"eval", here / "sort", "--baselines", "--beams", "2"}).out,
             ContainsSubstring("copy the source"));
  const auto drawn =
      run_zoo({"attention", here / "sort", "210", "--target", "012", "--out", here / "page.html"});
  CHECK_THAT(drawn.out, ContainsSubstring("3 layers, 210 → 012"));
  CHECK_THAT(read_file(here / "page.html"), ContainsSubstring("cross-attention"));
}

TEST_CASE("each command refuses a run that cannot do it and names what can") {
  const Workplace here;
  here.train("bert.json", "mlm");
  here.train("sort.json", "sort");
  const auto task_of = [&](const char* command, const char* run) {
    return run_zoo({command, here / run, "aa"});
  };
  check_refused(task_of("fill", "sort"), "needs masked_language_model, which is learned by bert");
  check_refused(task_of("classify", "mlm"),
                "needs text_classification, which is learned by rnn, cnn, bert");
  check_refused(task_of("translate", "mlm"),
                "needs sequence_to_sequence, which is learned by mlp, rnn, cnn, gpt, "
                "rnn_attention, encoder_decoder");
  check_refused(run_zoo({"generate", here / "mlm"}), "needs language_model, which is learned by");
  check_refused(task_of("fill", "mlm"), "text 1: has no [MASK]");
  check_refused(run_zoo({"fill", here / "mlm", "aaaaaaaaaaaa[MASK]"}),
                "has 13 tokens and the model reads at most 8");
  check_refused(run_zoo({"fill", here / "mlm", "a[MASK]", "--top", "0"}), "--top: got 0");
  check_refused(run_zoo({"embed", here / "mlm", "emma", "--pooling", "max"}),
                "--pooling: got max; choose one of mean, first, last");
  check_refused(run_zoo({"embed", here / "mlm", "emma", "--nearest", here / "no.txt"}), "no.txt");
  check_refused(run_zoo({"attention", here / "mlm", "emma"}), "--out: missing");
  check_refused(run_zoo({"attention", here / "mlm", "emma", "--target", "x", "--out", "x.html"}),
                "--target: the run writes no targets");
  check_refused(run_zoo({"translate", here / "sort", "210", "--beams", "0"}), "beams.beams: 0");
  check_refused(run_zoo({"translate", here / "sort", "210", "--n-best", "3"}),
                "--n-best: 3 of 1 beams");
  check_refused(run_zoo({"translate", here / "sort", "210", "--beams", "2", "--top-k", "3"}),
                "--top-k: draws at random");
  check_refused(run_zoo({"translate", here / "sort", "01201201201"}),
                "source 1: has 11 tokens and the model reads at most 9 of a source");
}

}  // namespace
}  // namespace zoo
