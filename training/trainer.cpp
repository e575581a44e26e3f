#include "training/trainer.h"

#include <utility>

#include <torch/autograd.h>
#include <torch/types.h>

#include "core/errors.h"
#include "training/counting.h"

namespace zoo {

void TrainingOptions::validate(const std::string& path) const {
  require<ConfigError>(!(max_steps && epochs), path, ".epochs: ", epochs.value_or(0), " and ", path,
                       ".max_steps ", max_steps.value_or(0),
                       " are both set; remove one, e.g. with --set ", path, ".epochs=null");
}

std::int64_t TrainingOptions::total_steps(std::int64_t batches_per_epoch) const {
  require<ConfigError>(max_steps || epochs,
                       "training.max_steps: not set, nor is training.epochs; "
                       "set one of them");
  if (max_steps) return *max_steps;
  return (*epochs * batches_per_epoch + accumulate - 1) / accumulate;
}

StopReason Trainer::fit(Optimizer& optimizer, const Schedule& schedule, std::int64_t max_steps,
                        Progress& progress) {
  parts_.model.train();
  clock_ = std::chrono::steady_clock::now();
  StepWatch watch(progress.window_loss.device(), progress.step);
  bool stop = parts_.stop_requested();
  while (true) {
    const bool done = progress.step >= max_steps;
    const bool due = done || progress.step % options_.evaluate_every == 0;
    if (due && progress.evaluated_step != progress.step && !evaluate_and_tell(progress)) {
      return finish(progress, StopReason::kStoppedEarly);
    }
    if (done) return finish(progress, StopReason::kFinished);
    if (stop) return finish(progress, StopReason::kInterrupted);

    const auto learning_rate = schedule(progress.step);
    take_step(optimizer, learning_rate, watch, progress);
    const bool reports = progress.step % options_.report_every == 0;
    stop = parts_.stop_requested();
    if (reports || stop || watch.is_full() || is_used_now(progress, max_steps)) {
      look(watch, reports, learning_rate, progress);
    }
    update_clock(progress);
    for (auto* observer : parts_.observers) observer->on_step(progress);
  }
}

bool Trainer::is_used_now(const Progress& progress, std::int64_t max_steps) const {
  const bool saved = options_.save_every && progress.step % *options_.save_every == 0;
  return saved || progress.step % options_.evaluate_every == 0 || progress.step == max_steps;
}

void Trainer::take_step(Optimizer& optimizer, double learning_rate, StepWatch& watch,
                        Progress& progress) {
  optimizer.zero_grad();
  std::vector<Batch> batches;
  torch::Tensor tokens;  // [], predicted in the whole step
  for (std::int64_t i = 0; i < options_.accumulate; ++i) {
    batches.push_back(parts_.train.at(progress.step * options_.accumulate + i));
    const auto count = batches.back().targets.ne(kIgnored).sum();
    tokens = tokens.defined() ? tokens + count : count;
  }
  torch::Tensor step_loss;  // [], nats per token
  for (const auto& batch : batches) {
    const auto loss =
        parts_.task.training_loss(parts_.model.forward(batch.inputs), batch).sum.sum();
    const auto mean = loss / tokens;
    mean.backward();
    progress.window_loss.add_(loss.detach());
    step_loss = step_loss.defined() ? step_loss + mean.detach() : mean.detach();
  }
  progress.window_tokens.add_(tokens);
  watch.record(progress.step, step_loss, optimizer.clip(options_.grad_clip));
  optimizer.step(learning_rate);
  ++progress.step;
}

void Trainer::look(StepWatch& watch, bool reports, double learning_rate, Progress& progress) {
  const auto window = torch::stack({progress.window_loss, progress.window_tokens});
  const auto read = torch::cat({window, watch.figures()}).cpu();
  const auto* values = read.const_data_ptr<double>();
  const auto* figures = values + window.size(0);
  if (reports) {
    update_clock(progress);
    Report report;
    report.loss = values[0] / values[1];
    report.tokens = values[1];
    report.seconds = training_seconds_;
    report.gradient_norm = watch.last_gradient_norm(figures);
    report.learning_rate = learning_rate;
    progress.window_loss.zero_();
    progress.window_tokens.zero_();
    training_seconds_ = 0.0;
    for (auto* observer : parts_.observers) observer->on_report(progress, report);
  }
  watch.look(figures, progress.start_loss);
}

StopReason Trainer::count(Counted& model, Progress& progress) {
  clock_ = std::chrono::steady_clock::now();
  count_batches(model, parts_.train);
  progress.step = 1;
  update_clock(progress);
  evaluate_and_tell(progress);
  return finish(progress, StopReason::kFinished);
}

bool Trainer::evaluate_and_tell(Progress& progress) {
  update_clock(progress);
  const auto training_seconds = training_seconds_;
  const auto evaluation = parts_.evaluate();
  update_clock(progress);
  training_seconds_ = training_seconds;

  const bool first = progress.evaluated_step < 0;
  if (first && evaluation.tokens > 0) progress.start_loss = evaluation.loss;
  progress.evaluated_step = progress.step;
  if (evaluation.loss < progress.best_loss) {
    progress.best_loss = evaluation.loss;
    progress.best_step = progress.step;
    progress.evaluations_without_gain = 0;
  } else {
    ++progress.evaluations_without_gain;
  }
  bool go_on = true;
  for (auto* observer : parts_.observers) {
    go_on = observer->on_evaluation(progress, evaluation) && go_on;
  }
  update_clock(progress);
  training_seconds_ = training_seconds;
  return go_on;
}

StopReason Trainer::finish(const Progress& progress, StopReason reason) {
  for (auto* observer : parts_.observers) observer->on_finish(progress, reason);
  return reason;
}

void Trainer::update_clock(Progress& progress) {
  const auto now = std::chrono::steady_clock::now();
  const auto passed = std::chrono::duration<double>(now - clock_).count();
  clock_ = now;
  progress.seconds += passed;
  training_seconds_ += passed;
}

}  // namespace zoo
