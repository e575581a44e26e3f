// What commands print at terminals, into pipes and into files, beside tests/golden/output/.
// ZOO_UPDATE_GOLDEN=1 writes those files anew: look at the difference before it is kept.
#include <cstdlib>
#include <fstream>
#include <regex>

#include "tests/output/output_workplace.h"
#include "tests/support/catch.h"
#include "tests/support/screen.h"
#include "tests/support/terminal.h"

namespace zoo {
namespace {

using Arguments = std::vector<std::string>;

/// What differs from run to run, or from machine to machine, gives way to a mark; numbers keep
/// their width.
std::string masked(std::string text) {
  const auto replace = [&text](const char* pattern, const char* mark) {
    text = std::regex_replace(text, std::regex(pattern), mark);
  };
  replace(R"(\b(\d+h \d\dm|\d+m \d\ds|\d+s)\b)", "<time>");
  replace(R"(\b\d+\.\d s\b)", "<time>");
  replace(R"([0-9.,]+k? tokens/s)", "<speed> tokens/s");
  replace(R"re("(.|..)" (-?\d\.\d\d)(?!\d))re", "\"?\" $2");  // near tokens of random embeddings
  std::string shown;
  const std::regex figure(R"(\d+\.\d{2,}(?![0-9e]))");
  auto rest = text.cbegin();
  for (std::smatch found; std::regex_search(rest, text.cend(), found, figure);) {
    shown.append(rest, found[0].first);
    for (const char c : found.str()) shown += c == '.' ? '.' : '0';
    rest = found[0].second;
  }
  return shown.append(rest, text.cend());
}

/// Texts that a model wrote give way too: ten lines of one, or those of an evaluation.
std::string without_samples(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  const std::regex sample(R"(  [a-z]*(  [a-z]*| \*)?)");
  for (std::string line; std::getline(lines, line);) {
    const bool marked = line == "  * stands in the training data";
    if (marked) {
      kept.erase(kept.rfind("\n\n") + 1);  // and the line between
    } else {
      kept += (std::regex_match(line, sample) ? "  <sample>" : line) + "\n";
    }
  }
  return kept;
}

struct Shown {
  std::string text;
  TerminalResult result;
};

/// How the golden file says it: rows of a terminal, or the two streams.
Shown shown(const OutputWorkplace& here, Surroundings surroundings, const Arguments& arguments) {
  surroundings.folder = here.folder();
  auto result = run_zoo_in(surroundings, arguments);
  std::string text = "exit " + std::to_string(result.code) + "\n";
  if (surroundings.out == Stream::kTerminal) {
    const auto screen = screen_of(result.screen);
    CHECK(screen.faults.empty());
    text += screen.text;
  } else {
    CHECK(control_characters(result.out).empty());
    CHECK(control_characters(result.error).empty());
    text += "---- stdout\n" + result.out + "---- stderr\n" + result.error;
  }
  const bool measured = arguments[0] != "validate" && arguments[0] != "list";
  return {measured ? masked(text) : text, std::move(result)};
}

void check_golden(const std::string& name, const std::string& text) {
  const auto path = "tests/golden/output/" + name + ".txt";
  if (const char* update = std::getenv("ZOO_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
    replace_file(path, text);
    return;
  }
  std::istringstream wanted(read_file(path)), given(text);
  // Line by line, so that a difference is seen.
  std::string wanted_line, given_line;
  int number = 0;
  while (std::getline(wanted, wanted_line)) {
    ++number;
    INFO(path << ", line " << number);
    REQUIRE(std::getline(given, given_line));
    REQUIRE(given_line == wanted_line);
  }
  REQUIRE_FALSE(std::getline(given, given_line));
}

/// No row of the text is wider.
void check_fits(const std::string& text, std::size_t columns) {
  const auto screen = screen_of(text);
  INFO(text);
  CHECK(screen.widest <= columns);
}

const Surroundings kNarrow{.columns = 80};
const Surroundings kWide{.columns = 200};
const Surroundings kPipes{.out = Stream::kPipe, .error = Stream::kPipe};
const Surroundings kFiles{.out = Stream::kFile, .error = Stream::kFile};
const Surroundings kNoColor{.columns = 80, .environment = {"NO_COLOR=1"}};
const Surroundings kDumb{.columns = 80, .environment = {"TERM=dumb"}};

std::string at_80(const std::string& text) { return "==== at a terminal of 80 columns, " + text; }
std::string at_200(const std::string& text) { return "==== at a terminal of 200 columns, " + text; }
std::string piped(const std::string& text) { return "==== into pipes, " + text; }

/// At 80 columns and in pipes; at 200 too where the output is that wide.
void check_output(const OutputWorkplace& here, const std::string& name, const Arguments& arguments,
                  bool is_wide = false) {
  INFO(name);
  const auto narrow = shown(here, kNarrow, arguments);
  check_fits(narrow.text, 80);
  CHECK(narrow.result.screen.find('\r') == std::string::npos);
  auto text = at_80(narrow.text);
  if (is_wide) {
    const auto wide = shown(here, kWide, arguments);
    check_fits(wide.text, 200);
    text += at_200(wide.text);
  }
  check_golden(name, text + piped(shown(here, kPipes, arguments).text));
}

TEST_CASE("help, lists and errors are what the golden files show, at any width") {
  const OutputWorkplace here;
  check_output(here, "help", {"--help"});
  check_output(here, "generate-help", {"generate", "--help"});
  check_output(here, "list", {"list"}, true);
  check_output(here, "mistake", {"validate", "gpt.json", "--set", "model.n_heads=3"});
  const Arguments list = {"list"};
  CHECK(shown(here, kFiles, list).text == shown(here, kPipes, list).text);
  const auto narrow = shown(here, kNarrow, list).text;
  CHECK(shown(here, kNoColor, list).text == narrow);
  CHECK(shown(here, kDumb, list).text == narrow);
}

TEST_CASE("what is said about a config and its data is what the golden files show") {
  const OutputWorkplace here;
  check_output(here, "validate", {"validate", "gpt.json"});
  check_output(here, "inspect", {"inspect", "gpt.json"}, true);
  check_output(here, "data-show", {"data", "show", "gpt.json", "--count", "2"});
}

TEST_CASE("what a run is worth and what it writes are what the golden files show") {
  const OutputWorkplace here;
  REQUIRE(shown(here, kPipes, {"train", "ngram.json", "--out", "run"}).result.code == 0);
  check_output(here, "eval", {"eval", "run"});
  check_output(here, "generate", {"generate", "run", "--count", "5"});
}

TEST_CASE("a comparison prints a table that fits") {
  const OutputWorkplace here;
  const Arguments compare = {"compare", "both.json", "--out", "compared"};
  REQUIRE(shown(here, kPipes, compare).result.code == 0);
  const auto narrow = shown(here, kNarrow, compare);
  check_fits(narrow.text, 80);
  CHECK_THAT(narrow.text, ContainsSubstring("6-gram,"));
}

TEST_CASE("training says the same at a terminal, in a log and without color, each in its way") {
  const OutputWorkplace here;
  const auto train = [&](const Surroundings& surroundings) {
    static int number = 0;
    const auto run = "run" + std::to_string(number++);
    auto told = shown(here, surroundings, {"train", "gpt.json", "--out", run});
    INFO(told.text);
    REQUIRE(told.result.code == 0);
    told.text = std::regex_replace(without_samples(told.text), std::regex(run), "<run>");
    return told;
  };
  const auto narrow = train(kNarrow);
  check_fits(narrow.result.screen, 80);
  const auto wide = train(kWide);
  const auto pipes = train(kPipes);
  check_golden("train", at_80(narrow.text) + at_200(wide.text) + piped(pipes.text));
  CHECK(train(kFiles).text == pipes.text);

  const auto plain = train(kNoColor);
  CHECK(screen_of(narrow.result.screen).colored);
  CHECK_FALSE(screen_of(plain.result.screen).colored);
  CHECK(plain.text == narrow.text);
  const auto dumb = train(kDumb);
  CHECK(control_characters(dumb.result.screen).empty());
  CHECK(dumb.text == narrow.text);
}

}  // namespace
}  // namespace zoo
