#include "training/console.h"

#include <chrono>
#include <sstream>
#include <thread>

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
  Console console(out, {}, {100, 50});
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
  style.width = [] { return 40; };
  Console console(out, style, {100, 50});
  Progress progress;
  progress.step = 25;
  console.on_step(progress);
  CHECK_THAT(out.str(), ContainsSubstring("████░░░░░░░░░░░░ 25/100"));
  console.on_evaluation(progress, some_evaluation());
  CHECK_THAT(out.str(), ContainsSubstring("\r\033[K"));
  CHECK(out.str().find("left") == std::string::npos);  // no estimate before 20 steps and 3 seconds
}

TEST_CASE("where the bar has no room for all, the time left and the losses stay longest") {
  const auto bar_of = [](int width) {
    std::ostringstream out;
    Console console(out, {.live = true, .width = [width] { return width; }}, {40'000, 40'000});
    Progress progress;
    progress.seconds = 0.5;
    console.on_evaluation(progress, some_evaluation());
    Report report;
    report.loss = 2.5;
    report.tokens = 480;
    report.seconds = 0.01;
    report.learning_rate = 1e-3;
    console.on_report(progress, report);
    for (progress.step = 1; progress.step < 1000; ++progress.step) {
      progress.seconds += 0.01;
      console.on_step(progress);
    }
    std::this_thread::sleep_for(
        std::chrono::milliseconds(110));  // bars are drawn ten times a second
    out.str("");
    console.on_step(progress);
    return out.str();
  };
  const std::string left = "  6m 30s left", erase = "\033[K";
  CHECK_THAT(bar_of(120), ContainsSubstring("  lr 1.00e-03  48.0k tokens/s" + left + erase));
  CHECK_THAT(bar_of(80), ContainsSubstring("  val 2.0000  48.0k tokens/s" + left + erase));
  CHECK_THAT(bar_of(60), ContainsSubstring("1000/40000  loss 2.5000  val 2.0000" + left + erase));
  CHECK_THAT(bar_of(50), ContainsSubstring("1000/40000  loss 2.5000" + left + erase));
  CHECK_THAT(bar_of(40), ContainsSubstring("1000/40000" + left + erase));
  CHECK_THAT(bar_of(30), ContainsSubstring("1000/40000" + erase));
  CHECK_THAT(bar_of(15), ContainsSubstring("░ 1000/" + erase));
}

TEST_CASE("at a narrow terminal a line that stays is broken between its parts") {
  std::ostringstream out;
  Console console(out, {.width = [] { return 40; }}, {100, 50});
  console.on_evaluation(Progress(), some_evaluation());
  CHECK(out.str() == "step 0/100  val loss 2.0000 (2.885 bits)\n    0s\n");
}

TEST_CASE("samples take the columns that there are, wide characters two of them") {
  std::ostringstream out;
  Console console(out, {.width = [] { return 30; }}, {100, 50});
  console.show_samples({"天地玄黃宇宙洪荒日月盈昃", "b"});
  console.show_samples(
      {"a\xC2\x9B"
       "2Jb"});
  CHECK(out.str() == "  天地玄黃宇宙洪荒日月盈昃  b\n  a2Jb\n");
  out.str("");
  console.show_samples({"天地玄黃宇宙洪荒日月盈昃辰宿"});
  CHECK(out.str() == "  天地玄黃宇宙洪荒日月盈昃辰宿\n");
  out.str("");
  console.show_samples({"a天地玄黃宇宙洪荒日月盈昃辰宿列張"});
  CHECK(out.str() == "  a天地玄黃宇宙洪荒日月盈昃辰\n");
}

TEST_CASE("durations read as people say them") {
  CHECK(duration_text(8.6) == "9s");
  CHECK(duration_text(125) == "2m 05s");
  CHECK(duration_text(3720) == "1h 02m");
}

}  // namespace
}  // namespace zoo
