// Where there is no terminal, commands write text without control characters, whatever stands in
// the data, the vocabulary, the classes and the names of files; with --json, one JSON document on
// stdout, and nothing of it on stderr.
#include <filesystem>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/screen.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/terminal.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

/// What a terminal would obey: clear the screen, by both sets of control characters.
constexpr const char* kEscape = "\x1b[2J";
constexpr const char* kSecondSet =
    "\xC2\x9B"
    "2J";

constexpr const char* kShort =
    R"("device": "cpu", "training": {"max_steps": 2, "batch_size": 8, "evaluate_every": 2,
       "samples": 2, "sample_length": 12})";

/// Data, configs and runs of two steps that hold control characters wherever they can.
class HostileWorkplace {
 public:
  HostileWorkplace() {
    const std::string escape = kEscape, second = kSecondSet;
    std::string names, labelled, pairs;
    for (const char* name : {"ada", "anna", "ava", "bea", "bob", "cara", "dana", "dora", "ella",
                             "emma", "evan", "finn", "gina", "hans", "ida", "ivan"}) {
      const auto hostile = name + escape + second + "\x7f\r\x07" + name;
      names += hostile + "\n";
      labelled += (std::string(name).ends_with('a') ? "f" + escape : "m" + second) + "\t" + name +
                  escape + "\n";
      pairs += std::string(name) + escape + "\t" + second + name + "\n";
    }
    write("names.txt", names);
    write("labelled.tsv", labelled);
    write("pairs.tsv", pairs);
    config(
        "lm",
        R"("architecture": "gpt", "tokenizer": {"unknown": "skip"}, "model": {"d_model": 8, "n_heads": 2, "n_layers": 1,
      "block_size": 32}, "data": {"path": "names.txt", "val_fraction": 0.2})");
    config("mlm", R"("architecture": "bert", "task": "masked_language_model",
      "tokenizer": {"unknown": "replace"}, "model": {"d_model": 8, "n_heads": 2, "n_layers": 1,
      "block_size": 32}, "data": {"path": "names.txt", "val_fraction": 0.2})");
    config("classes", R"("architecture": "cnn", "task": "text_classification",
      "tokenizer": {"unknown": "skip"},
      "model": {"d_model": 8, "n_layers": 1},
      "data": {"path": "labelled.tsv", "format": "labelled", "val_fraction": 0.2})");
    config("pairs", R"("architecture": "encoder_decoder", "task": "sequence_to_sequence",
      "tokenizer": {"unknown": "skip"}, "source_tokenizer": {"unknown": "skip"},
      "model": {"d_model": 8, "n_heads": 2, "n_layers": 1, "block_size": 32},
      "data": {"path": "pairs.tsv", "format": "pairs", "val_fraction": 0.2})");
    config("images", R"("architecture": "vit", "task": "image_classification",
      "model": {"patch_size": 4, "d_model": 8, "n_heads": 2, "n_layers": 1},
      "data": {"path": "images", "val_fraction": 0.2})");
    for (const std::string name : {"dark", "bright"}) {
      fs::create_directories(folder_ / "images" / name);
      for (int i = 0; i < 10; ++i) {
        PngRecipe recipe;
        recipe.height = recipe.width = 8;
        const std::vector<std::uint8_t> pixels(
            64, static_cast<std::uint8_t>(name[0] == 'd' ? i : 250 - i));
        write("images/" + name + "/" + std::to_string(i) + ".png", png_file(recipe, pixels));
      }
    }
    write("both.json",
          R"({"runs": [{"config": "lm.json"}], "seeds": [1], "budget": {"steps": 2}})");
  }

  void write(const std::string& name, const std::string& text) const {
    write_file_synced(folder_ / name, text);
  }
  std::string folder() const { return folder_.path().string(); }
  /// A run's folder has a name that would clear the screen.
  std::string run(const std::string& name) const { return name + kEscape; }

 private:
  void config(const std::string& name, const std::string& rest) const {
    write(name + ".json", "{" + rest + ", " + kShort + "}");
  }
  TemporaryFolder folder_;
};

std::set<std::string> lines_of(const std::string& text) {
  std::istringstream lines(text);
  std::set<std::string> found;
  for (std::string line; std::getline(lines, line);) found.insert(line);
  return found;
}

/// Calls commands and checks what they print; remembers which were called, and which with --json.
class Caller {
 public:
  explicit Caller(const HostileWorkplace& here) : here_(here) {}

  TerminalResult operator()(const Arguments& arguments, const std::string& input = "") {
    const auto result = call(Stream::kPipe, arguments, input);
    check_plain(result);
    called_.insert(arguments[0]);
    return result;
  }

  /// The one document that is printed.
  nlohmann::json json(Arguments arguments, const std::string& input = "") {
    arguments.emplace_back("--json");
    const auto result = call(Stream::kFile, arguments, input);
    check_plain(result);
    called_.insert(arguments[0]);
    as_json_.insert(arguments[0]);
    // Nothing but one document: what follows it would be an error.
    const auto document = nlohmann::json::parse(result.out, nullptr, /*allow_exceptions=*/false);
    INFO(result.out);
    CHECK_FALSE(document.is_discarded());
    CHECK(document.is_structured());
    std::istringstream lines(result.error);
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK_FALSE(nlohmann::json::parse(line, nullptr, false).is_structured());
    }
    return document;
  }

  const std::set<std::string>& called() const { return called_; }
  const std::set<std::string>& as_json() const { return as_json_; }

 private:
  TerminalResult call(Stream stream, const Arguments& arguments, const std::string& input) {
    std::string command = "zoo";
    for (const auto& argument : arguments) command += " " + argument;
    UNSCOPED_INFO(command);
    auto result = run_zoo_in(
        {.out = stream, .error = stream, .folder = here_.folder(), .input = input}, arguments);
    INFO(command);
    INFO(result.error);
    CHECK(result.code == 0);
    return result;
  }

  static void check_plain(const TerminalResult& result) {
    INFO(result.out);
    INFO(result.error);
    CHECK(control_characters(result.out).empty());
    CHECK(control_characters(result.error).empty());
    CHECK(result.screen.empty());
  }

  const HostileWorkplace& here_;
  std::set<std::string> called_;
  std::set<std::string> as_json_;
};

/// Every command, with --json where it offers that, and without where that takes no second.
void call_every_command(const HostileWorkplace& here, Caller& call) {
  const auto lm = here.run("lm"), mlm = here.run("mlm"), classes = here.run("classes"),
             pairs = here.run("pairs"), images = here.run("images");
  // What JSON holds is what was given.
  const auto text = std::string("ada") + kEscape + kSecondSet + "\x7f";

  call({"train", "mlm.json", "--out", mlm});
  call({"train", "classes.json", "--out", classes});
  call({"train", "images.json", "--out", images});
  CHECK(call.json({"train", "pairs.json", "--out", pairs}).at("run") == pairs);
  CHECK(call.json({"train", "lm.json", "--out", lm}).at("run") == lm);
  call.json({"resume", lm, "--set", "training.max_steps=3"});
  call({"eval", classes});
  call.json({"eval", images});
  call({"generate", lm, "--count", "20"});
  call({"generate", lm, "--stream", "--count", "3"});
  call.json({"generate", lm, "--prompt", std::string("ada") + kEscape});
  call({"embed", mlm, text, "--nearest", "names.txt"});
  CHECK(call.json({"embed", mlm, text}).at("results")[0].at("text") == text);
  CHECK(call.json({"fill", mlm}, text + "[MASK]\n").at("results")[0].at("source") ==
        text + "[MASK]");
  call.json({"translate", pairs, std::string("ada") + kEscape});
  call({"classify", images, "images/dark/1.png"});
  CHECK(call.json({"classify", classes, std::string("ada") + kEscape})
            .at("results")[0]
            .at("label")
            .get<std::string>()
            .size() > 1);
  call({"attention", mlm, text, "--out", "attention.html"});
  call.json({"export", lm, "--out", "model.pt"});
  call.json({"compare", "both.json", "--out", std::string("compared") + kEscape});
  call.json({"inspect", "classes.json"});
  call({"data", "show", "pairs.json"});
  call({"data", "audit", "lm.json"});
  call.json({"data", "audit", "classes.json"});
  call.json({"doctor", "lm.json"});
  call({"tokenizer", "train", "names.txt", "--vocab-size", "300", "--out", "tokens.json"});
  call({"tokenizer", "encode", "tokens.json", "--tokens", text});
  call({"tokenizer", "decode", "tokens.json"}, "27 91 7 13 127 155\n194 155 228 184\n");
  call.json({"list"});
  call({"options", "gpt"});
  call({"schema"});
  call.json({"validate", "lm.json"});
  call.json({"bench", "lm.json", "--generate", "2", "--steps", "2", "--warmup", "1"});
  call.json({"verify-resume", "lm.json", "--steps", "2"});
}

/// The other forms of commands.
void call_the_rest(const HostileWorkplace& here, Caller& call) {
  const auto lm = here.run("lm"), mlm = here.run("mlm"), classes = here.run("classes"),
             pairs = here.run("pairs");
  call({"resume", classes, "--set", "training.max_steps=3"});
  call({"eval", pairs, "--show", "2", "--baselines"});
  call({"generate", lm, "--samplers", "greedy,top-k=5"});
  call({"generate", lm, "--show-probabilities", "--longest-match", "--count", "2"});
  call({"embed", mlm, std::string("ada") + kEscape});
  call({"fill", mlm, std::string("ada") + kEscape + "[MASK]"});
  call({"translate", pairs, std::string("ada") + kEscape});
  call({"export", mlm, "--out", "model2.pt"});
  call({"compare", "both.json", "--out", std::string("compared") + kEscape});
  call({"inspect", lm});
  call({"data", "show", "images.json", "--count", "1"});
  call.json({"data", "show", "lm.json"});
  call({"data", "audit", "images.json"});
  call({"doctor", "pairs.json"});
  call({"list"});
  call({"validate", "lm.json", "--set", "tokenizer.boundary=\"\\u001b[2J\""});
  call({"bench", "lm.json", "--steps", "2", "--warmup", "1"});
  call({"bench", "lm.json", "--attention", "16,32"});
  call({"verify-resume", "lm.json"});
}

TEST_CASE(
    "no command writes control characters into a pipe or a file, and --json is one document") {
  const HostileWorkplace here;
  Caller call(here);
  call_every_command(here, call);

  const auto called = call.called();
  const auto commands = lines_of(call({"commands"}).out);
  CHECK(commands == called);
  const auto docs = read_file("docs/commands.md");
  for (const auto& command : commands) {
    INFO(command);
    const auto help = docs.find("## zoo " + command + "\n");
    CHECK(help != std::string::npos);
    if (help == std::string::npos) continue;
    const bool offers =
        docs.substr(help, docs.find("\n## ", help) - help).find("  --json  ") != std::string::npos;
    CHECK(offers == call.as_json().contains(command));
  }
}

TEST_CASE("no form of a command writes control characters into a pipe", "[slow]") {
  const HostileWorkplace here;
  Caller call(here);
  call_every_command(here, call);
  call_the_rest(here, call);
}

TEST_CASE("errors show control characters instead of writing them, at a terminal too") {
  const HostileWorkplace here;
  const auto refused = [&](Stream stream, const Arguments& arguments) {
    const auto result =
        run_zoo_in({.out = stream, .error = stream, .folder = here.folder()}, arguments);
    const auto text = result.error + result.screen;
    INFO(text);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    CHECK(control_characters(text).empty());
    CHECK_THAT(text, ContainsSubstring("\\u001b[2J"));
  };
  refused(Stream::kPipe, {"eval", std::string("none") + kEscape});
  refused(Stream::kTerminal, {"eval", std::string("none") + kEscape});
  refused(Stream::kTerminal, {std::string("li") + kEscape});
}

TEST_CASE("at a terminal, texts that a model wrote cannot move the cursor") {
  const HostileWorkplace here;
  const auto run = here.run("lm");
  const auto at_terminal = [&](const Arguments& arguments) {
    const auto result = run_zoo_in({.folder = here.folder()}, arguments);
    INFO(result.screen);
    REQUIRE(result.code == 0);
    return result.screen;
  };
  const auto trained = screen_of(at_terminal({"train", "lm.json", "--out", run}));
  CHECK(trained.faults.empty());
  for (const char* how : {"--show-probabilities", "--stream"}) {
    CHECK(control_characters(at_terminal({"generate", run, "--count", "5", how})).empty());
  }
}

}  // namespace
}  // namespace zoo
