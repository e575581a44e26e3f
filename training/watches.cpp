#include "training/watches.h"

namespace zoo {

bool EarlyStopping::has_stopped(const Progress& progress, std::int64_t patience) {
  return progress.evaluated_step == progress.step &&
         !EarlyStopping(patience).on_evaluation(progress, {});
}

bool EarlyStopping::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  return patience_ == 0 || progress.evaluations_without_gain < patience_;
}

void Throughput::on_report(const Progress& progress, const Report& report) {
  steps_ = progress.step;
  tokens_ += report.tokens;
  seconds_ += report.seconds;
}

}  // namespace zoo
