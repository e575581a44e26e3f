#include "training/watches.h"

#include <cmath>

#include "core/errors.h"

namespace zoo {

bool EarlyStopping::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  return patience_ == 0 || progress.evaluations_without_gain < patience_;
}

void DivergenceWatch::on_report(const Progress& progress, const Report& report) {
  const bool finite = std::isfinite(report.loss) && std::isfinite(report.gradient_norm);
  require<UserError>(finite, "training diverged by step ", progress.step, ": loss ", report.loss,
                     ", gradient norm ", report.gradient_norm,
                     "; lower optimizer.learning_rate, or set training.grad_clip or "
                     "schedule.warmup_steps");
}

void Throughput::on_report(const Progress& progress, const Report& report) {
  steps_ = progress.step;
  tokens_ += report.tokens;
  seconds_ += report.seconds;
}

}  // namespace zoo
