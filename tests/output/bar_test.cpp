// The bar that redraws itself while a model is trained, at a real terminal.
#include <algorithm>

#include "tests/output/output_workplace.h"
#include "tests/support/catch.h"
#include "tests/support/screen.h"
#include "tests/support/terminal.h"

namespace zoo {
namespace {

constexpr const char* kErase = "\033[K";

/// Each piece that starts with "\r", what came before the first left out.
std::vector<std::string> redraws_of(const std::string& bytes) {
  std::vector<std::string> redraws;
  for (auto at = bytes.find('\r'); at != std::string::npos;) {
    const auto next = bytes.find('\r', at + 1);
    redraws.push_back(bytes.substr(at + 1, next - at - 1));
    at = next;
  }
  return redraws;
}

/// What holds of every bar, wherever training ends.
void check_bars(const TerminalResult& result, std::size_t columns) {
  const auto screen = screen_of(result.screen);
  INFO(screen.text);
  CHECK(screen.faults.empty());
  CHECK(screen.redraws >= 3);
  // Lines that stay, and nothing of the bar.
  CHECK(screen.text.find("█") == std::string::npos);
  CHECK(screen.text.find("░") == std::string::npos);
  CHECK(screen.text.ends_with('\n'));
  int bars = 0;
  const auto redraws = redraws_of(result.screen);
  for (const auto& redraw : redraws) {
    const auto erase = redraw.find(kErase);
    REQUIRE(erase != std::string::npos);
    const bool clears = erase == 0;
    if (clears) continue;  // lines that stay may follow
    ++bars;
    CHECK(redraw.size() == erase + 3);
    CHECK(screen_of(redraw.substr(0, erase)).widest < columns);
  }
  CHECK(bars >= 3);
  CHECK(redraws.back().starts_with(kErase));
}

TEST_CASE("the bar stays in its row, erases what it wrote before, and is gone at the end") {
  const OutputWorkplace here;
  // The summary goes elsewhere, so that all that the terminal gets is the talk.
  const auto result =
      run_zoo_in({.out = Stream::kPipe, .columns = 52, .folder = here.folder()},
                 {"train", "gpt.json", "--out", "run", "--set", "training.max_steps=900", "--set",
                  "training.evaluate_every=300"});
  REQUIRE(result.code == 0);
  CHECK(control_characters(result.out).empty());
  check_bars(result, 52);
  const auto screen = screen_of(result.screen);
  CHECK(screen.widest <= 52);
  CHECK_THAT(screen.text, ContainsSubstring("step 900/900  val loss"));
}

TEST_CASE("at a narrow terminal too, and where the run is stopped") {
  const OutputWorkplace here;
  const auto stopped = run_zoo_in({.columns = 48, .folder = here.folder()},
                                  {"train", "gpt.json", "--out", "run", "--set",
                                   "training.max_steps=100000", "--stop-after", "900"});
  check_bars(stopped, 48);
  CHECK_THAT(screen_of(stopped.screen).text, ContainsSubstring("go on with\n  zoo resume run\n"));
}

}  // namespace
}  // namespace zoo
