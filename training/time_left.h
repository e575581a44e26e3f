#pragma once

#include <cstdint>
#include <deque>
#include <optional>

namespace zoo {

/// What a training session is going to do, and where it starts.
struct TrainingPlan {
  std::int64_t max_steps = 1;
  std::int64_t evaluate_every = 1;
  std::int64_t first_step = 0;  ///< updates of earlier sessions of the run
  double first_seconds = 0.0;   ///< and the time that they took
};

/// Foretells what a training session still takes, from the times at which updates and evaluations
/// ended. An update costs the mean of the recent ones; an evaluation costs the mean of the recent
/// ones too, the samples and the checkpoint that follow it included.
class TimeLeft {
 public:
  explicit TimeLeft(const TrainingPlan& plan);

  /// `seconds`: of the run, as in Progress. Steps may be left out.
  void on_step(std::int64_t step, double seconds);
  /// An evaluation that began when the last step ended.
  void on_evaluation(std::int64_t step, double seconds);

  /// None until 20 updates and 3 seconds say something about the rest.
  std::optional<double> seconds() const;

 private:
  /// Updates and the seconds that they took.
  struct Work {
    double updates = 0.0;
    double seconds = 0.0;
  };

  /// Seconds of an update; 0 where each one stands beside an evaluation.
  double update_cost() const;
  double evaluation_cost() const;
  std::int64_t evaluations_to_come() const;

  TrainingPlan plan_;
  std::int64_t step_;
  double seconds_;
  std::int64_t evaluated_step_ = -1;
  double first_update_seconds_ = 0.0;  // when the session's first update ended
  std::deque<Work> updates_;           // sums at moments of a recent while, the newest last
  std::deque<Work> evaluations_;       // recent ones, each with the update that followed it
  bool beside_evaluation_ = true;      // the next update ends more than itself
};

}  // namespace zoo
