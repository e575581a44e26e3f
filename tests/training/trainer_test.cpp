#include "training/trainer.h"

#include <atomic>
#include <cmath>

#include <ATen/record_function.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_training.h"
#include "training/counting.h"
#include "training/text_batches.h"
#include "training/watches.h"

namespace zoo {
namespace {

const Architecture& gpt() { return find_architecture("gpt"); }

/// Counts operators that make the host wait for the device, or copy between them: those that our
/// code calls, not those inside another operator.
class SyncCounter {
 public:
  SyncCounter() {
    count = 0;
    depth = 0;
    handle_ = at::addThreadLocalCallback(
        at::RecordFunctionCallback(enter, leave).scopes({at::RecordScope::FUNCTION}));
  }
  ~SyncCounter() { at::removeCallback(handle_); }
  static inline int count = 0;

 private:
  static std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction& function) {
    const std::string name = function.name();
    const bool waits = name == "aten::item" || name == "aten::_local_scalar_dense" ||
                       name == "aten::nonzero" || name == "aten::is_nonzero" ||
                       name == "aten::equal" || name == "aten::masked_select";
    const bool copies =
        name == "aten::cpu" || name == "aten::_to_cpu" || name == "aten::pin_memory";
    if (depth++ == 0 && (waits || copies)) ++count;
    return nullptr;
  }
  static void leave(const at::RecordFunction& /*function*/, at::ObserverContext* /*context*/) {
    --depth;
  }
  static inline int depth = 0;
  at::CallbackHandle handle_;
};

/// Remembers what it was told.
struct Recorder : TrainingObserver {
  std::vector<std::int64_t> reports, evaluations;
  std::vector<double> losses;
  StopReason reason{};
  void on_report(const Progress& progress, const Report& report) override {
    reports.push_back(progress.step);
    losses.push_back(report.loss);
  }
  bool on_evaluation(const Progress& progress, const Evaluation&) override {
    evaluations.push_back(progress.step);
    return true;
  }
  void on_finish(const Progress&, StopReason why) override { reason = why; }
};

/// Trains the experiment with these observers and no files.
Progress fit(
    Experiment& experiment, std::vector<TrainingObserver*> observers, std::int64_t max_steps,
    std::function<bool()> stop = [] { return false; }) {
  Optimizer optimizer(*experiment.model, experiment.config.optimizer);
  auto schedule = experiment.config.schedule;
  schedule.decay_steps = max_steps;
  const auto train = experiment.training_batches();
  const auto val = experiment.all_batches("val");
  auto progress = Progress::start(experiment.device);
  Trainer trainer({*experiment.model, *experiment.task, *train,
                   [&] { return evaluate(*experiment.model, *experiment.task, *val, "val"); },
                   std::move(observers), std::move(stop)},
                  experiment.config.training);
  trainer.fit(optimizer, Schedule(schedule, experiment.config.optimizer.learning_rate), max_steps,
              progress);
  return progress;
}

TEST_CASE("a hundred training steps wait for the device at most ten times") {
  const TemporaryFolder folder;
  auto experiment = make_tiny_experiment(tiny_config(
      folder.path(), gpt(), {"training.report_every=10", "training.evaluate_every=1000"}));
  Optimizer optimizer(*experiment.model, experiment.config.optimizer);
  const auto train = experiment.training_batches();
  auto progress = Progress::start(experiment.device);
  progress.evaluated_step = 0;
  int at_hundred = -1;
  struct Reader : TrainingObserver {
    int* result;
    void on_step(const Progress& p) override {
      if (p.step == 100) *result = SyncCounter::count;
    }
  } reader;
  reader.result = &at_hundred;
  Trainer trainer({*experiment.model,
                   *experiment.task,
                   *train,
                   [] { return Evaluation(); },
                   {&reader},
                   [] { return false; }},
                  experiment.config.training);
  ScheduleOptions constant;
  constant.type = ScheduleType::kConstant;
  const SyncCounter counter;
  trainer.fit(optimizer, Schedule(constant, 1e-3), 100, progress);
  CHECK(at_hundred >= 0);
  CHECK(at_hundred <= 10);
  torch::ones({}).item<float>();
  CHECK(SyncCounter::count > at_hundred);  // the counter does count
}

TEST_CASE("accumulating equals one large batch, the loss divided by the count of the whole step") {
  const TemporaryFolder folder;
  const auto trained = [&](const std::string& batch, const std::string& accumulate) {
    auto experiment = make_tiny_experiment(
        tiny_config(folder.path(), gpt(),
                    {"model.dropout=0", "training.batch_size=" + batch,
                     "training.accumulate=" + accumulate, "optimizer.type=sgd"}));
    fit(experiment, {}, 5);
    return experiment.model;
  };
  const auto one = trained("8", "1");
  const auto four = trained("2", "4");
  const auto expected = one->named_parameters();
  for (const auto& item : four->named_parameters()) {
    CHECK(largest_difference(item.value(), expected[item.key()]) < 1e-5);
  }
}

TEST_CASE("evaluations come at the start, at every interval and at the end; reports at theirs") {
  const TemporaryFolder folder;
  auto experiment = make_tiny_experiment(tiny_config(folder.path(), gpt()));
  Recorder recorder;
  fit(experiment, {&recorder}, 10);
  CHECK(recorder.evaluations == std::vector<std::int64_t>{0, 4, 8, 10});
  CHECK(recorder.reports == std::vector<std::int64_t>{3, 6, 9});
  CHECK(recorder.reason == StopReason::kFinished);
}

TEST_CASE("training lowers the loss and a stop request ends it after the step") {
  const TemporaryFolder folder;
  auto experiment = make_tiny_experiment(
      tiny_config(folder.path(), gpt(), {"optimizer.learning_rate=0.01", "model.dropout=0"}));
  Recorder recorder;
  std::int64_t asked = 0;
  const auto progress = fit(experiment, {&recorder}, 1000, [&] { return ++asked > 90; });
  CHECK(progress.step == 90);
  CHECK(recorder.reason == StopReason::kInterrupted);
  CHECK(recorder.losses.back() < recorder.losses.front() - 0.5);
}

TEST_CASE("early stopping waits for its patience") {
  EarlyStopping stopping(2);
  Progress progress;
  progress.evaluations_without_gain = 1;
  CHECK(stopping.on_evaluation(progress, {}));
  progress.evaluations_without_gain = 2;
  CHECK(!stopping.on_evaluation(progress, {}));
  CHECK(EarlyStopping(0).on_evaluation(progress, {}));
}

/// Trains until it diverges.
Diverged divergence_of(Experiment& experiment, const std::vector<TrainingObserver*>& observers) {
  try {
    fit(experiment, observers, 200);
  } catch (const Diverged& diverged) {
    return diverged;
  }
  FAIL("training did not diverge");
  throw std::logic_error("not reached");
}

/// Does something to the model after an update, and remembers how far training went.
struct Saboteur : TrainingObserver {
  std::int64_t at = 7;
  std::function<void()> damage;
  std::int64_t last = 0;
  void on_step(const Progress& progress) override {
    last = progress.step;
    if (progress.step == at) damage();
  }
};

TEST_CASE("a number that is not finite is noticed within 20 steps and learned from no more") {
  for (const char* optimizer : {"adamw", "sgd"}) {
    const TemporaryFolder folder;
    auto experiment = make_tiny_experiment(
        tiny_config(folder.path(), gpt(),
                    {"training.report_every=1000", "training.evaluate_every=1000",
                     "optimizer.weight_decay=0", std::string("optimizer.type=") + optimizer}));
    const auto parameters = unique_parameters(*experiment.model);
    torch::Tensor last_weight;
    Saboteur saboteur;
    saboteur.damage = [&] {
      const torch::NoGradGuard no_grad;
      parameters.front().second.view(-1)[3] = std::nan("");
      last_weight = parameters.back().second.detach().clone();
    };
    const auto diverged = divergence_of(experiment, {&saboteur});
    CHECK(diverged.step == 7);
    CHECK(saboteur.last < 27);
    CHECK(std::isnan(diverged.loss));
    CHECK(diverged.random_step <= 7);
    CHECK_THAT(diverged.what(), ContainsSubstring("training diverged at step 8: loss nan"));
    CHECK(torch::equal(parameters.back().second, last_weight));
  }
}

TEST_CASE("a learning rate of a million is noticed, and one that is only high is not") {
  const TemporaryFolder folder;
  auto wild = make_tiny_experiment(
      tiny_config(folder.path(), gpt(), {"optimizer.learning_rate=1e6", "schedule.type=constant"}));
  Saboteur counter;
  CHECK(divergence_of(wild, {&counter}).step < 20);
  CHECK(counter.last < 20);
  auto high = make_tiny_experiment(
      tiny_config(folder.path(), gpt(), {"optimizer.learning_rate=0.03", "training.batch_size=1"}));
  CHECK_NOTHROW(fit(high, {}, 100));
}

/// What is said of losses that follow each other, with gradients of norm 1.
std::string judgement_of(const std::vector<double>& losses, double start_loss) {
  StepWatch watch(torch::kCPU, 100);
  try {
    for (std::size_t i = 0; i < losses.size(); ++i) {
      watch.record(100 + static_cast<std::int64_t>(i), torch::tensor(losses[i]), torch::ones({}));
      if (watch.is_full() || i + 1 == losses.size()) {
        watch.look(watch.figures().const_data_ptr<double>(), start_loss);
      }
    }
  } catch (const Diverged& diverged) {
    CHECK(diverged.is_finite() == std::isfinite(diverged.loss));
    return diverged.what();
  }
  return "";
}

TEST_CASE("a loss that rises far above its start is named with its step, one that wavers is not") {
  std::vector<double> losses(30, 3.0);
  CHECK(judgement_of(losses, 3.3).empty());
  losses[12] = 40.0;
  CHECK(judgement_of(losses, 3.3).empty());
  losses.insert(losses.end(), 20, 50.0);
  losses[30] = 7.0;
  losses[31] = 8.0;
  CHECK_THAT(judgement_of(losses, 3.3),
             ContainsSubstring("diverged at step 132: loss 8 after 3.3 at the start"));
  CHECK(judgement_of({9.0, 9.0, 9.0}, 3.3).empty());  // too few
  CHECK_THAT(judgement_of({3.0, 3.0, INFINITY, 3.0}, 3.3), ContainsSubstring("step 103: loss inf"));
}

TEST_CASE("evaluation divides by the whole split and leaves random state and mode alone") {
  const TemporaryFolder folder;
  auto experiment = make_tiny_experiment(tiny_config(folder.path(), gpt()));
  experiment.model->train();
  const auto whole = experiment.all_batches("val");
  torch::manual_seed(5);
  const auto expected = torch::rand({1}).item<float>();
  torch::manual_seed(5);
  const auto evaluation = evaluate(*experiment.model, *experiment.task, *whole, "val");
  CHECK(torch::rand({1}).item<float>() == expected);
  CHECK(experiment.model->is_training());

  OrderedBatches single(TextRows(experiment.text.val, experiment.row_options(), torch::kCPU), 1);
  const auto one_by_one = evaluate(*experiment.model, *experiment.task, single, "val");
  CHECK(std::abs(one_by_one.loss - evaluation.loss) < 1e-5);
  CHECK(one_by_one.tokens == evaluation.tokens);
  CHECK(std::abs(evaluation.bits() - evaluation.loss / std::log(2.0)) < 1e-12);
  CHECK(evaluation.figures.count("accuracy") == 1);
}

TEST_CASE("label smoothing changes the training loss and not the evaluation") {
  const auto plain = make_task(TaskType::kLanguageModel, 0.0, {});
  const auto smooth = make_task(TaskType::kLanguageModel, 0.2, {});
  Batch batch;
  batch.targets = torch::tensor({1L, 2L, kIgnored}).unsqueeze(0);
  const auto logits = torch::tensor({0.F, 2.F, 1.F, 1.F, 0.F, 3.F, 5.F, 5.F, 5.F}).view({1, 3, 3});
  const auto one = plain->training_loss(logits, batch);
  const auto two = smooth->training_loss(logits, batch);
  CHECK(one.count.item<std::int64_t>() == 2);
  const auto log_p = logits.log_softmax(-1);
  const auto hand = -(log_p.index({0, 0, 1}) + log_p.index({0, 1, 2}));
  CHECK(std::abs(one.sum.item<double>() - hand.item<double>()) < 1e-6);
  const auto spread = -(log_p.index({0, 0}).mean() + log_p.index({0, 1}).mean());
  CHECK(std::abs(two.sum.item<double>() - (0.8 * hand + 0.2 * spread).item<double>()) < 1e-6);
  Figures figures;
  smooth->measure(logits, batch, figures);
  CHECK(std::abs(figures.read().at("loss").sum - hand.item<double>()) < 1e-6);
  CHECK(figures.read().at("accuracy").sum == 2.0);
}

TEST_CASE("models of a few tokens have the same loss on prefixes as on whole lines") {
  const TemporaryFolder folder;
  for (const char* name : {"bigram", "ngram"}) {
    const auto& row = find_architecture(name);
    auto lines = make_tiny_experiment(tiny_config(folder.path(), row));
    auto prefixes = make_tiny_experiment(
        tiny_config(folder.path(), row, {"data.view=prefixes", "data.window=4"}));
    if (auto* counted = dynamic_cast<Counted*>(lines.model.get())) {
      count_batches(*counted, *lines.training_batches());
      count_batches(dynamic_cast<Counted&>(*prefixes.model), *prefixes.training_batches());
    }
    const auto on_lines = evaluate(*lines.model, *lines.task, *lines.all_batches("val"), "val");
    const auto on_prefixes =
        evaluate(*prefixes.model, *prefixes.task, *prefixes.all_batches("val"), "val");
    CHECK(on_lines.tokens == on_prefixes.tokens);
    CHECK(std::abs(on_lines.loss - on_prefixes.loss) < 1e-5);
  }
}

}  // namespace
}  // namespace zoo
