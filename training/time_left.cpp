#include "training/time_left.h"

#include <algorithm>
#include <numeric>

namespace zoo {
namespace {

constexpr std::int64_t kStepsBeforeEstimate = 20;
constexpr double kSecondsBeforeEstimate = 3.0;
/// The recent while: so many seconds, or this share of all seconds in updates where that is more.
constexpr double kRecentSeconds = 20.0;
constexpr double kRecentShare = 0.5;
/// Moments that are remembered of the recent while, about.
constexpr double kMoments = 100.0;
constexpr std::size_t kRecentEvaluations = 8;

}  // namespace

TimeLeft::TimeLeft(const TrainingPlan& plan)
    : plan_(plan), step_(plan.first_step), seconds_(plan.first_seconds), updates_(1) {}

void TimeLeft::on_step(std::int64_t step, double seconds) {
  const Work work{static_cast<double>(step - step_), seconds - seconds_};
  if (step_ == plan_.first_step) first_update_seconds_ = seconds;
  step_ = step;
  seconds_ = seconds;
  if (beside_evaluation_) {
    beside_evaluation_ = false;
    if (evaluations_.empty()) return;  // a session's first update warms up
    evaluations_.back().updates += work.updates;
    evaluations_.back().seconds += work.seconds;
    return;
  }
  auto& newest = updates_.back();
  const Work sum{newest.updates + work.updates, newest.seconds + work.seconds};
  const auto recent = std::max(kRecentSeconds, kRecentShare * sum.seconds);
  // The newest moves on until it is far enough from the one before.
  const bool near = updates_.size() > 1 &&
                    sum.seconds - updates_[updates_.size() - 2].seconds < recent / kMoments;
  if (near) {
    newest = sum;
  } else {
    updates_.push_back(sum);
  }
  while (updates_.size() > 2 && sum.seconds - updates_[1].seconds >= recent) updates_.pop_front();
}

void TimeLeft::on_evaluation(std::int64_t step, double seconds) {
  // The first one of a session warms up, and samples of a model that knows nothing run long.
  if (evaluations_.size() == 1 && evaluated_step_ == plan_.first_step) evaluations_.clear();
  evaluations_.push_back({0.0, seconds - seconds_});
  if (evaluations_.size() > kRecentEvaluations) evaluations_.pop_front();
  evaluated_step_ = step;
  seconds_ = seconds;
  beside_evaluation_ = true;
}

std::optional<double> TimeLeft::seconds() const {
  if (step_ - plan_.first_step < kStepsBeforeEstimate ||
      seconds_ - first_update_seconds_ < kSecondsBeforeEstimate) {
    return std::nullopt;
  }
  const auto rest = static_cast<double>(plan_.max_steps - step_);
  if (evaluations_.empty()) return rest * seconds_ / static_cast<double>(step_);
  return rest * update_cost() + static_cast<double>(evaluations_to_come()) * evaluation_cost();
}

double TimeLeft::update_cost() const {
  const auto& oldest = updates_.front();
  const auto& newest = updates_.back();
  if (newest.updates == oldest.updates) return 0.0;
  return (newest.seconds - oldest.seconds) / (newest.updates - oldest.updates);
}

double TimeLeft::evaluation_cost() const {
  Work all;
  for (const auto& one : evaluations_) {
    all.updates += one.updates;
    all.seconds += one.seconds;
  }
  const auto evaluating = all.seconds - all.updates * update_cost();
  return std::max(0.0, evaluating) / static_cast<double>(evaluations_.size());
}

std::int64_t TimeLeft::evaluations_to_come() const {
  if (evaluated_step_ >= plan_.max_steps) return 0;
  // One at the end, and those that are due from here to before it.
  const auto from = std::max<std::int64_t>(1, std::max(step_, evaluated_step_ + 1));
  return 1 + (plan_.max_steps - 1) / plan_.evaluate_every - (from - 1) / plan_.evaluate_every;
}

}  // namespace zoo
