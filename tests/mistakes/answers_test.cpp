// What goes wrong between a config, its data and a run is said by the program in one line, with
// exit code 2 and before a second is over.
#include <iostream>

#include <sys/resource.h>

#include "core/files.h"
#include "tests/mistakes/tiny_run.h"
#include "tests/support/catch.h"
#include "tests/support/refused.h"
#include "tests/support/sanitized.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// Processor seconds of the programs that have ended.
double seconds_of_children() {
  rusage usage{};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void check_refused_at_once(const Arguments& arguments, const std::string& says) {
  const auto before = seconds_of_children();
  const auto result = run_zoo(arguments);
  check_refused(result, says);
  if (!kSanitized) CHECK(seconds_of_children() - before < 1.0);
}

TEST_CASE("a mistake in a config is answered by the program before it looks for the data") {
  const TinyRun run;
  const auto wrong = (run.folder() / "wrong.json").string();
  struct Mistake {
    const char* command;
    const char* place;
    Json value;
    const char* says;
  };
  const std::vector<Mistake> mistakes = {
      {"validate", "/model/n_head", 2,
       "wrong.json: model.n_head: unknown option; did you mean n_heads?"},
      {"train", "/traning", Json::object(),
       "wrong.json: traning: unknown option; did you mean training?"},
      {"train", "/model/learning_rate", 0.1,
       "model.learning_rate: unknown option; it belongs in optimizer"},
      {"validate", "/batch_size", 8, "batch_size: unknown option; it belongs in training"},
      {"validate", "/training/batch_size", 0, "training.batch_size: 0 is outside >= 1"},
      {"train", "/training/batch_size", "8", "training.batch_size: got \"8\"; expected an integer"},
      {"validate", "/training/max_steps", 1.5, "training.max_steps: got 1.5"},
      {"train", "/model/n_heads", 3, "model.n_heads: 3 does not divide d_model 8"},
      {"train", "/training/epochs", 3, "training.epochs: 3 and training.max_steps 2 are both set"},
      {"validate", "/task", "image_classification", "is not what gpt learns"},
      {"train", "/architecture", "gtp", "did you mean gpt?"},
      {"validate", "/device", "gpu", "choose auto, cpu, cuda or cuda:N"},
      {"validate", "/schedule", Json{{"type", "cosin"}}, "did you mean cosine?"},
      {"train", "/model", Json::array(), "model: expected an object"},
  };
  for (const auto& mistake : mistakes) {
    fs::copy_file(run.config(), wrong, fs::copy_options::overwrite_existing);
    change_json(wrong, [&](Json& config) {
      config["data"]["path"] = "no-such-file";
      config[Json::json_pointer(mistake.place)] = mistake.value;
    });
    INFO(mistake.place);
    check_refused_at_once({mistake.command, wrong}, mistake.says);
  }
  check_refused_at_once({"train", run.config(), "--set", "modle.d_model=8"},
                        "--set: modle: unknown option; did you mean model?");
  check_refused_at_once({"validate", run.config(), "--set", "model.d_mode=8"},
                        "--set: model.d_mode: unknown option; did you mean d_model?");
  check_refused_at_once({"validate", run.config(), "--set", "data.path=\x1B[2J"},
                        "--set data.path=\\x1b[2J: not UTF-8, or has control characters");
  check_refused_at_once({"validate", run.config(), "--set", "data.path=\xFF"}, "not UTF-8");
}

Arguments opened(const char* command, const fs::path& run) {
  Arguments arguments = {command, run.string()};
  if (command == std::string("resume")) {
    arguments.insert(arguments.end(), {"--set", "training.max_steps=4"});
  }
  return arguments;
}

TEST_CASE("data that are not those of the checkpoint are answered in one line") {
  const TinyRun run;
  const auto copy = run.copy();
  const auto data = copy / "data/triples.txt";
  const auto triples = read_file(data);
  for (const char* command : {"eval", "resume"}) {
    write_bytes(data, triples + "cccc\n");
    check_refused(run_zoo(opened(command, copy)), "was changed since the run started");
    write_bytes(data, triples + "\xC5\x9F\n");
    check_refused(run_zoo(opened(command, copy)), "triples.txt");
    fs::rename(data, copy / "data/gone.txt");
    check_refused(run_zoo(opened(command, copy)), "data.path: no file or folder data/triples.txt");
  }
  check_refused(run_zoo({"generate", copy.string(), "--prompt", "\xC5\x9F"}), "vocabulary");
  // Without the hashes of the data, the characters are noticed.
  write_bytes(data, triples + "\xC5\x9F\n");
  change_json(copy / "config.json", [](Json& config) { config.erase("made_with"); });
  for (const char* command : {"eval", "resume"}) {
    check_refused(run_zoo(opened(command, copy)), "is not in the vocabulary of 4 tokens");
  }
}

TEST_CASE("a tokenizer that is not the one of the weights is answered with both sizes") {
  const TinyRun run;
  const auto copy = run.copy();
  auto tokenizer = Json::parse(read_file(copy / "checkpoints/last/tokenizer.json"));
  auto& vocab = tokenizer["model"]["vocab"];
  const auto size = vocab.size();
  vocab["Z"] = size;
  replace_in_checkpoints(copy, "tokenizer.json", tokenizer.dump(2), /*sealed=*/true);
  for (const char* command : {"inspect", "eval", "generate"}) {
    check_refused(run_zoo({command, copy.string()}),
                  "tokenizer.json: does not fit the checkpoint: it has " +
                      std::to_string(size + 1) + " tokens");
  }
}

TEST_CASE("a run that goes on cannot become another model") {
  const TinyRun run;
  const auto copy = run.copy().string();
  for (const char* setting :
       {"model.d_model=16", "model.n_heads=1", "architecture=rnn", "task=masked_language_model",
        "optimizer.type=sgd", "tokenizer.type=byte_bpe", "data.path=triples.txt"}) {
    check_refused(run_zoo({"resume", copy, "--set", setting}), "cannot change when a run goes on");
  }
  check_refused(run_zoo({"resume", copy, "--set", "training.max_step=4"}),
                "did you mean training.max_steps?");
  change_json(fs::path(copy) / "config.json",
              [](Json& config) { config["model"]["d_model"] = 16; });
  check_refused(run_zoo({"resume", copy, "--set", "training.max_steps=4"}), "restore config.json");
}

TEST_CASE("a run that was moved goes on, and one whose data are gone says which") {
  const TinyRun run;
  const auto copy = run.copy();
  fs::remove(run.folder() / "triples.txt");
  const auto moved = run.folder() / "moved";
  fs::rename(copy, moved);
  const auto extended =
      run_zoo({"resume", moved.string(), "--set", "training.max_steps=3", "--quiet"});
  INFO(extended.error);
  CHECK(extended.code == 0);
  fs::remove_all(moved / "data");
  check_refused(run_zoo({"eval", moved.string()}), "data.path: no file or folder data/triples.txt");
  check_refused(run_zoo({"resume", moved.string(), "--set", "training.max_steps=4"}),
                "data.path: no file or folder data/triples.txt");
  check_refused(run_zoo({"resume", copy.string()}), "no such run folder");
  fs::remove(moved / "config.json");
  check_refused(run_zoo({"resume", moved.string()}), "is not a run");
}

TEST_CASE("a checkpoint of a later version is answered with both versions") {
  const TinyRun run;
  const auto copy = run.copy();
  change_in_checkpoints(copy, "manifest.json",
                        [](Json& manifest) { manifest["format_version"] = 99; });
  for (const char* command : {"inspect", "eval", "generate", "resume"}) {
    check_refused(run_zoo(opened(command, copy)), "format_version is 99, this program reads ");
  }
}

}  // namespace
}  // namespace zoo
