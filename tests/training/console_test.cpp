#include "training/console.h"

#include <sstream>

#include "tests/support/catch.h"

namespace zoo {
namespace {

Evaluation some_evaluation() {
  Evaluation evaluation;
  evaluation.split = "val";
  evaluation.loss = 2.0;
  return evaluation;
}

TEST_CASE("a log that is no terminal gets whole lines and no control characters") {
  std::ostringstream out;
  Console console(out, {}, 100);
  Progress progress;
  for (progress.step = 1; progress.step <= 50; ++progress.step) console.on_step(progress);
  Report report;
  report.loss = 2.5;
  report.tokens = 480;
  report.seconds = 0.01;
  console.on_report(progress, report);
  console.on_evaluation(progress, some_evaluation());
  console.show_samples({"emma", "two\nlines\033[31m"});
  const auto text = out.str();
  CHECK_THAT(text, ContainsSubstring("step 51/100  val loss 2.0000 (2.885 bits)"));
  CHECK_THAT(text, ContainsSubstring("48.0k tokens/s"));
  CHECK_THAT(text, ContainsSubstring("two⏎lines[31m"));
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.find('\033') == std::string::npos);
  CHECK(text.back() == '\n');
}

TEST_CASE("a terminal gets a bar that redraws itself and stays within its width") {
  std::ostringstream out;
  ConsoleStyle style;
  style.live = true;
  style.width = 40;
  Console console(out, style, 100);
  Progress progress;
  progress.step = 25;
  console.on_step(progress);
  CHECK_THAT(out.str(), ContainsSubstring("████░░░░░░░░░░░░ 25/100"));
  console.on_evaluation(progress, some_evaluation());
  CHECK_THAT(out.str(), ContainsSubstring("\r\033[K"));
  CHECK(out.str().find("left") == std::string::npos);  // no estimate before 20 steps and 3 seconds
}

TEST_CASE("durations read as people say them") {
  CHECK(duration_text(8.6) == "9s");
  CHECK(duration_text(125) == "2m 05s");
  CHECK(duration_text(3720) == "1h 02m");
}

}  // namespace
}  // namespace zoo
