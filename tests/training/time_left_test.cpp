#include "training/time_left.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "core/files.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

struct Moment {
  double seconds;
  std::int64_t step;
  bool evaluation;
};

/// A run that scripts/record_time_left.py recorded.
struct Recorded {
  TrainingPlan plan;
  std::vector<Moment> moments;

  double end() const { return moments.back().seconds; }
  /// Seconds from the last update before each evaluation to its end.
  double evaluating() const {
    double sum = 0.0, before = 0.0;
    for (const auto& moment : moments) {
      if (moment.evaluation) sum += moment.seconds - before;
      before = moment.seconds;
    }
    return sum;
  }
};

Recorded recorded_run(const std::filesystem::path& path) {
  std::istringstream lines(read_file(path));
  Recorded run;
  std::string line, word;
  std::getline(lines, line);
  lines >> word >> run.plan.max_steps >> word >> run.plan.evaluate_every;
  Moment moment{};
  while (lines >> moment.seconds >> moment.step >> word) {
    moment.evaluation = word == "evaluation";
    run.moments.push_back(moment);
  }
  return run;
}

std::vector<std::filesystem::path> recordings() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator("tests/golden/time_left")) {
    paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void tell(TimeLeft& time_left, const Moment& moment) {
  if (moment.evaluation) {
    time_left.on_evaluation(moment.step, moment.seconds);
  } else {
    time_left.on_step(moment.step, moment.seconds);
  }
}

TEST_CASE("after a tenth of a run the time left is right within 15 %, on ten recorded runs") {
  const auto paths = recordings();
  CHECK(paths.size() >= 10);
  double largest_share = 0.0;
  for (const auto& path : paths) {
    INFO(path);
    const auto run = recorded_run(path);
    REQUIRE(run.moments.size() > 50);
    const auto first_update =
        std::find_if(run.moments.begin(), run.moments.end(), [](const Moment& moment) {
          return !moment.evaluation;
        })->seconds;
    TimeLeft time_left(run.plan);
    int judged = 0;
    for (const auto& moment : run.moments) {
      tell(time_left, moment);
      const auto estimate = time_left.seconds();
      if (moment.seconds < 0.1 * run.end() || moment.evaluation) continue;
      const auto left = run.end() - moment.seconds;
      INFO("at step " << moment.step << ", " << left << " s before the end");
      if (!estimate) {  // a tenth of the run may come before 20 updates and 3 seconds
        CHECK((moment.step < 20 || moment.seconds < first_update + 3.0));
        continue;
      }
      INFO("said: " << *estimate);
      // What is shown is rounded to seconds.
      CHECK(std::abs(*estimate - left) <= std::max(0.15 * left, 0.5));
      ++judged;
    }
    CHECK(judged > 50);
    largest_share = std::max(largest_share, run.evaluating() / run.end());
  }
  CHECK(largest_share > 1.0 / 3.0);
}

TEST_CASE("nothing is said of the time left before 20 updates and 3 seconds") {
  TimeLeft slow({1000, 1000});
  for (int step = 1; step <= 19; ++step) {
    slow.on_step(step, step);
    CHECK_FALSE(slow.seconds());
  }
  slow.on_step(20, 20.0);
  CHECK(slow.seconds());
  TimeLeft fast({100'000, 100'000});
  fast.on_evaluation(0, 5.0);
  for (int step = 1; step <= 2990; ++step) {
    fast.on_step(step, 5.0 + 0.001 * step);
    CHECK_FALSE(fast.seconds());
  }
  fast.on_step(3002, 8.002);
  CHECK(fast.seconds());
}

/// Feeds a run of `steps` updates, one of `update` seconds; each evaluation takes `evaluation`, and
/// `saving` passes before the next update.
class Steady {
 public:
  Steady(const TrainingPlan& plan, double update, double evaluation, double saving)
      : plan_(plan),
        update_(update),
        evaluation_(evaluation),
        saving_(saving),
        step_(plan.first_step),
        seconds_(plan.first_seconds),
        time_left_(plan) {}

  void evaluate() {
    seconds_ += evaluation_;
    time_left_.on_evaluation(step_, seconds_);
    seconds_ += saving_;
  }
  void go(std::int64_t steps) {
    for (std::int64_t i = 0; i < steps; ++i) {
      seconds_ += update_;
      time_left_.on_step(++step_, seconds_);
      if (i + 1 < steps && step_ % plan_.evaluate_every == 0) evaluate();
    }
  }
  void set_update(double seconds) { update_ = seconds; }
  void set_evaluation(double seconds) { evaluation_ = seconds; }
  double left() const { return time_left_.seconds().value(); }

 private:
  TrainingPlan plan_;
  double update_, evaluation_, saving_;
  std::int64_t step_;
  double seconds_;
  TimeLeft time_left_;
};

TEST_CASE("updates, evaluations and what follows them are counted for what they cost") {
  Steady run({1000, 100}, 0.1, 4.0, 1.0);
  run.evaluate();
  run.go(50);  // none but the first evaluation is known
  CHECK(run.left() == Approx(950 * 0.1 + 10 * 5.0));
  run.go(150);  // the evaluation of step 200 is to come
  CHECK(run.left() == Approx(800 * 0.1 + 9 * 5.0));
  run.evaluate();
  run.go(1);
  CHECK(run.left() == Approx(799 * 0.1 + 8 * 5.0));
  run.go(799);
  CHECK(run.left() == Approx(5.0));
}

TEST_CASE("the first evaluation, which warms up, counts only while there is no other") {
  Steady run({1000, 100}, 0.1, 9.0, 1.0);
  run.evaluate();
  run.set_evaluation(2.0);
  run.go(99);
  CHECK(run.left() == Approx(901 * 0.1 + 10 * 10.0));
  run.go(2);
  CHECK(run.left() == Approx(899 * 0.1 + 9 * 3.0));
}

TEST_CASE("an evaluation after each update is part of the time left") {
  Steady run({100, 1}, 0.1, 0.2, 0.0);
  run.evaluate();
  run.go(50);
  CHECK(run.left() == Approx(50 * 0.1 + 51 * 0.2).epsilon(0.02));
}

TEST_CASE("the time left follows a machine that becomes slower") {
  Steady run({100'000, 100'000}, 0.01, 1.0, 0.0);
  run.evaluate();
  run.go(10'000);  // 100 s
  run.set_update(0.02);
  run.go(10'000);  // 200 s
  CHECK(run.left() == Approx(80'000 * 0.02 + 1.0).epsilon(0.02));
}

TEST_CASE("a run that goes on is judged by its new session, and at first by all of it") {
  Steady run({1000, 500, 600, 90.0}, 0.3, 10.0, 0.0);
  run.go(100);
  CHECK(run.left() == Approx(300 * (90.0 + 30.0) / 700.0));
  Steady evaluated({1000, 700, 600, 90.0}, 0.3, 10.0, 0.0);
  evaluated.go(150);
  CHECK(evaluated.left() == Approx(250 * 0.3 + 10.0));
}

}  // namespace
}  // namespace zoo
