#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/advice_list.h"
#include "core/errors.h"
#include "core/format.h"

namespace zoo {
namespace {

constexpr double kMostMemory = 0.9;
constexpr double kMostMinutes = 60.0;
constexpr double kMostEvaluation = 0.25;
/// Seconds of a run that is over soon enough, whatever they are spent on.
constexpr double kShortRun = 60.0;
/// Parameters for each token of train, or each image, beyond which a model learns by heart.
constexpr double kMostPerToken = 20.0, kMostPerImage = 200.0;
constexpr double kMostPasses = 100.0;
constexpr double kLongestWarmUp = 0.5;
/// Learning rates; that of a tiny model, such as a table, may be larger.
constexpr double kHighestAdamW = 1e-2, kLowestAdamW = 1e-5;
constexpr double kHighestSgd = 1.0, kLowestSgd = 1e-4;
constexpr std::int64_t kTinyModel = 10'000;

double to_double(std::int64_t value) { return static_cast<double>(value); }

bool learns_by_steps(const Examination& found) { return !found.order.has_value(); }

/// The largest number of the form 1, 1.5, 2, ... 9.5 times a power of ten that is not above it.
std::int64_t rounded_down(double value) {
  const auto unit = std::pow(10.0, std::floor(std::log10(std::max(value, 1.0)))) / 2.0;
  return std::max<std::int64_t>(1, std::llround(std::floor(value / unit) * unit));
}

std::string gibibytes(std::int64_t bytes) {
  return fixed_digits(to_double(bytes) / (1 << 30), 1) + " GiB";
}

/// A setting that makes the run so many updates long, whichever way its length is given.
std::string length_setting(const Examination& found, std::int64_t steps) {
  return text_of(found.config.training.epochs ? "--set training.epochs=null " : "",
                 "--set training.max_steps=", steps);
}

/// Whether anything keeps the model from learning by heart.
bool is_regularised(const Examination& found) {
  const auto& config = found.config;
  const bool drops = config.model.is_object() && config.model.value("dropout", 0.0) > 0.0;
  return drops || config.augmentation.any() || config.training.patience > 0;
}

bool has_dropout_option(const Examination& found) {
  return found.config.model.is_object() && found.config.model.contains("dropout");
}

std::string remedy(const Examination& found) {
  return has_dropout_option(found) ? "--set model.dropout=0.2, or stop early with --set "
                                     "training.patience=3"
                                   : "stop early with --set training.patience=3";
}

std::string diverging(const Examination& found) {
  if (!found.trial || found.trial->finite) return "";
  return text_of("The loss is no number any more after ", found.trial->steps,
                 " steps: the updates are too large. --set optimizer.learning_rate=",
                 significant_digits(found.config.optimizer.learning_rate / 10.0, 2),
                 found.config.training.grad_clip > 0.0 ? "" : " --set training.grad_clip=1", ".");
}

std::string memory(const Examination& found) {
  const auto& need = found.memory;
  if (need.available == 0 || to_double(need.in_all()) <= kMostMemory * to_double(need.available)) {
    return "";
  }
  const auto said = text_of("Training would need ", gibibytes(need.in_all()),
                            " and this machine has ", gibibytes(need.available), " left. ");
  const auto batch = found.config.training.batch_size;
  if (batch == 1) return said + "The batch is one row already: make the model smaller.";
  // As many rows as there is room for, the model apart.
  const auto room =
      kMostMemory * to_double(need.available - need.process) / to_double(need.training);
  const auto rows = std::clamp(rounded_down(room * to_double(batch)), std::int64_t{1}, batch / 2);
  return text_of(said,
                 "A smaller batch needs less, and accumulated it learns the same: --set "
                 "training.batch_size=",
                 rows, " --set training.accumulate=",
                 found.config.training.accumulate * ((batch + rows - 1) / rows), ".");
}

std::string idle_gpu(const Examination& found) {
  if (!found.gpu_idle) return "";
  return "This machine has a GPU, and device is " + found.config.general.device +
         ": --set device=cuda uses it.";
}

std::string too_long(const Examination& found) {
  if (found.seconds() <= 60.0 * kMostMinutes) return "";
  const auto per_step = found.seconds() / to_double(found.steps);
  const auto fitting = rounded_down(60.0 * kMostMinutes / per_step);
  return text_of("The run would take about ", fixed_digits(found.seconds() / 3600.0, 1),
                 " hours here. In one hour it would make ", with_commas(fitting),
                 " steps, its schedule adapted to them: ", length_setting(found, fitting), ".");
}

std::string evaluation_share(const Examination& found) {
  const auto seconds = found.evaluation_seconds();
  const auto training = found.seconds() - seconds;
  if (found.seconds() < kShortRun || seconds <= kMostEvaluation * found.seconds()) return "";
  // The evaluations before the first update and after the last one stay.
  const auto allowed = kMostEvaluation / (1.0 - kMostEvaluation) * training;
  const auto count = std::max(1.0, allowed / found.trial->evaluation_seconds - 1.0);
  const auto every =
      std::min<std::int64_t>(found.steps, std::llround(std::ceil(to_double(found.steps) / count)));
  if (every <= found.config.training.evaluate_every) return "";
  return text_of(with_commas(found.evaluations()), " evaluations would take ",
                 fixed_digits(100.0 * seconds / found.seconds(), 0),
                 " % of the run. --set training.evaluate_every=", every, " makes them fewer.");
}

std::string late_evaluation(const Examination& found) {
  const auto every = found.config.training.evaluate_every;
  if (!learns_by_steps(found) || every < found.steps || found.steps < 2) return "";
  return text_of("training.evaluate_every is ", every, " and the run has ", found.steps,
                 " steps: it is evaluated at its start and its end alone, so that overfitting goes "
                 "unseen and no better checkpoint can be kept. --set training.evaluate_every=",
                 std::max<std::int64_t>(1, found.steps / 10), ".");
}

std::string parameters(const Examination& found) {
  if (!learns_by_steps(found) || is_regularised(found)) return "";
  const bool images = found.config.reads_images();
  const auto amount = images ? found.train().examples : found.train().tokens;
  const auto most = images ? kMostPerImage : kMostPerToken;
  if (to_double(found.parameters) <= most * to_double(amount)) return "";
  return text_of(
      "The model has ", with_commas(found.parameters), " parameters, ",
      with_commas(found.parameters / std::max<std::int64_t>(1, amount)), " for each ",
      images ? "image" : "token",
      " of train, and nothing keeps it from learning them by heart. Make it smaller, or ",
      remedy(found), ".");
}

std::string passes(const Examination& found) {
  if (!learns_by_steps(found) || found.passes() <= kMostPasses || is_regularised(found)) return "";
  const auto fitting = rounded_down(kMostPasses / 2.0 * to_double(found.steps) / found.passes());
  return text_of("The run goes over train ", with_commas(std::llround(found.passes())),
                 " times, and nothing keeps the model from learning it by heart: ",
                 length_setting(found, fitting), ", ", remedy(found), ".");
}

std::string part_of_a_pass(const Examination& found) {
  if (!learns_by_steps(found) || found.passes() >= 1.0) return "";
  return text_of("The run sees ", fixed_digits(100.0 * found.passes(), 0),
                 " % of train and never the rest. One pass is --set training.max_steps=null --set "
                 "training.epochs=1.");
}

std::string whole_batch(const Examination& found) {
  const auto& training = found.config.training;
  if (!learns_by_steps(found) || training.accumulate < found.batches) return "";
  const auto smaller = std::max<std::int64_t>(1, found.train().examples / 10);
  return text_of("An update reads ", training.batch_size * training.accumulate,
                 " rows, as many as train has or more: every step sees the same. Smaller batches "
                 "give more updates a pass: --set training.batch_size=",
                 std::min(smaller, training.batch_size),
                 training.accumulate > 1 ? " --set training.accumulate=1" : "", ".");
}

std::string warm_up(const Examination& found) {
  const auto warmup = found.config.schedule.warmup_steps;
  if (!learns_by_steps(found) || to_double(warmup) <= kLongestWarmUp * to_double(found.steps)) {
    return "";
  }
  return text_of("schedule.warmup_steps is ", warmup, " of ", found.steps, " steps: ",
                 warmup >= found.steps ? "the full learning rate is never reached"
                                       : "most of the run is spent below the full learning rate",
                 ". --set schedule.warmup_steps=", found.steps / 20, ".");
}

std::string decay(const Examination& found) {
  const auto& schedule = found.config.schedule;
  const bool endless =
      schedule.type == ScheduleType::kConstant || schedule.type == ScheduleType::kInverseSquareRoot;
  if (!learns_by_steps(found) || endless || !schedule.decay_steps) return "";
  if (*schedule.decay_steps == found.steps) return "";
  return text_of("schedule.decay_steps is ", *schedule.decay_steps, " and the run has ",
                 found.steps, " steps: ",
                 *schedule.decay_steps > found.steps
                     ? "the learning rate never comes down to its end value"
                     : "the rest of them is spent at the end value",
                 ". --set schedule.decay_steps=null makes them meet.");
}

std::string learning_rate(const Examination& found) {
  if (!learns_by_steps(found)) return "";
  const auto& options = found.config.optimizer;
  const bool adamw = options.type == OptimizerType::kAdamW;
  const auto highest = adamw ? kHighestAdamW : kHighestSgd;
  const auto lowest = adamw ? kLowestAdamW : kLowestSgd;
  const bool high = options.learning_rate > highest && found.parameters > kTinyModel;
  if (!high && options.learning_rate >= lowest) return "";
  return text_of("optimizer.learning_rate ", significant_digits(options.learning_rate, 3), " is ",
                 high ? "high" : "low", " for ", name_of(options.type), ", which ",
                 high ? "a model of this size rarely bears" : "hardly moves the weights",
                 ". --set optimizer.learning_rate=", adamw ? "0.001" : "0.1", ".");
}

std::string order_of_grams(const Examination& found) {
  if (!found.order || found.tokens.used == 0) return "";
  const auto contexts = std::pow(to_double(found.tokens.used), to_double(*found.order - 1));
  const auto tokens = to_double(found.train().tokens);
  if (contexts <= tokens) return "";
  const auto fitting =
      1 + std::floor(std::log(tokens) /
                     std::log(to_double(std::max<std::int64_t>(2, found.tokens.used))));
  return text_of("model.order ", *found.order, " has ", significant_digits(contexts, 2),
                 " possible contexts and train ", with_commas(found.train().tokens),
                 " tokens to count: most contexts never come. --set model.order=",
                 std::llround(std::max(1.0, fitting)), ".");
}

}  // namespace

std::vector<AdviceRule> training_rules() {
  return {{"diverging", diverging},
          {"memory", memory},
          {"idle-gpu", idle_gpu},
          {"too-long", too_long},
          {"evaluation-time", evaluation_share},
          {"late-evaluation", late_evaluation},
          {"parameters", parameters},
          {"passes", passes},
          {"part-of-a-pass", part_of_a_pass},
          {"whole-batch", whole_batch},
          {"warm-up", warm_up},
          {"decay", decay},
          {"learning-rate", learning_rate},
          {"order", order_of_grams}};
}

}  // namespace zoo
