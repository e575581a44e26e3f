#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "training/time_left.h"
#include "training/trainer.h"

namespace zoo {

/// What the console shows on.
struct ConsoleStyle {
  bool live = false;   ///< a terminal: a bar that redraws itself; otherwise lines only
  bool color = false;  ///< escape sequences for color are welcome
  /// Columns of a terminal, asked before each drawing since a window may change; of none, unset.
  std::function<int()> width = nullptr;
};

/// "1h 02m", "2m 05s", "9s".
std::string duration_text(double seconds);

/// Shows a run to the person watching: a bar (step, losses, rate, time left once it means
/// something) on a terminal, and one line an evaluation everywhere.
class Console : public TrainingObserver {
 public:
  /// `unit`: what is predicted, "token", for the speed.
  Console(std::ostream& out, ConsoleStyle style, const TrainingPlan& plan,
          std::string unit = "token");

  void on_step(const Progress& progress) override;
  void on_report(const Progress& progress, const Report& report) override;
  bool on_evaluation(const Progress& progress, const Evaluation& evaluation) override;
  void on_finish(const Progress& progress, StopReason reason) override;
  void show_samples(const std::vector<std::string>& texts);

 private:
  using Clock = std::chrono::steady_clock;

  /// Prints a line that stays, above the bar.
  void line(const std::string& text);
  /// "lr 1.94e-03" and "31.7k tokens/s".
  std::string learning_rate_text() const;
  std::string speed_text() const;
  void draw_bar(const Progress& progress);
  void clear_bar();

  std::ostream& out_;
  ConsoleStyle style_;
  TrainingPlan plan_;
  std::string unit_;
  TimeLeft time_left_;
  Report report_;
  bool reported_ = false;
  std::string evaluated_;  // "val 2.0381"
  bool bar_is_drawn_ = false;
  Clock::time_point drawn_;
};

}  // namespace zoo
