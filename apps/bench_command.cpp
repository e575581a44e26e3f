#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "analysis/attention_profile.h"
#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "inference/generation.h"
#include "training/experiment.h"
#include "training/trainer.h"

namespace zoo {
namespace {

/// Times whole training steps between two step numbers.
class Stopwatch : public TrainingObserver {
 public:
  explicit Stopwatch(std::int64_t first) : first_(first) {}

  void on_step(const Progress& progress) override {
    if (progress.step == first_) started_ = std::chrono::steady_clock::now();
  }
  void on_finish(const Progress& progress, StopReason /*reason*/) override {
    // Reading a number waits for all the work that is still under way.
    progress.window_loss.item<double>();
    const auto passed = std::chrono::steady_clock::now() - started_;
    milliseconds_ = std::chrono::duration<double, std::milli>(passed).count() /
                    static_cast<double>(progress.step - first_);
  }
  double milliseconds() const { return milliseconds_; }

 private:
  std::int64_t first_;
  std::chrono::steady_clock::time_point started_;
  double milliseconds_ = 0.0;
};

/// What one step of a kind costs.
struct StepTimes {
  double milliseconds = 0.0;
  double first_quarter = 0.0;  ///< of a text: the mean over its first quarter of tokens
  double last_quarter = 0.0;
};

double time_training(Experiment& experiment, std::int64_t warmup, std::int64_t steps) {
  require<UserError>(dynamic_cast<const Counted*>(experiment.model.get()) == nullptr,
                     experiment.config.general.architecture, ": counts in one pass, without steps");
  const auto train = experiment.training_batches();
  Optimizer optimizer(*experiment.model, experiment.config.optimizer);
  auto schedule = experiment.config.schedule;
  schedule.decay_steps = std::max(warmup + steps, schedule.warmup_steps + 1);
  Stopwatch stopwatch(warmup);
  auto progress = Progress::start(experiment.device);
  Trainer trainer({*experiment.model,
                   *experiment.task,
                   *train,
                   [] { return Evaluation(); },
                   {&stopwatch},
                   [] { return false; }},
                  experiment.config.training);
  trainer.fit(optimizer, Schedule(schedule, experiment.config.optimizer.learning_rate),
              warmup + steps, progress);
  return stopwatch.milliseconds();
}

/// Times a token of `rows` texts that fill the model's block, from one token each.
class GenerationTimer {
 public:
  GenerationTimer(const Experiment& experiment, std::int64_t rows, bool rereads)
      : experiment_(experiment), rows_(static_cast<std::size_t>(rows)), rereads_(rereads) {
    const auto block = trained_model(experiment).block_size();
    options_.max_new_tokens = block > 0 ? block : kLongestContext;
    at_.resize(static_cast<std::size_t>(options_.max_new_tokens) + 1);
    experiment.model->eval();
  }

  /// Whole texts until `steps` tokens of each row were written.
  StepTimes time(std::int64_t steps) {
    StepTimes times;
    const auto N = at_.size() - 1;
    const auto quarter = std::max<std::size_t>(1, N / 4);
    std::int64_t texts = 0;
    for (; texts * static_cast<std::int64_t>(N) < steps; ++texts) {
      write();
      times.milliseconds += between(0, N);
      times.first_quarter += between(0, quarter);
      times.last_quarter += between(N - quarter, N);
    }
    for (auto* value : {&times.milliseconds, &times.first_quarter, &times.last_quarter}) {
      *value /= static_cast<double>(texts);
    }
    return times;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void write() {
    const c10::InferenceMode inference_mode;
    const auto& facts = experiment_.facts;
    auto& model = *experiment_.model;
    const RowView view{facts.vocab_size, facts.pad_id, trained_model(experiment_).block_size(),
                       experiment_.architecture.fixed_length};
    const std::vector<std::vector<std::int64_t>> nothing(rows_);
    const auto decoding = rereads_ ? start_rereading(model, nothing, view)
                                   : start_decoding(model, nothing, view, FullBlock::kReread);
    std::vector<DecodingRow> rows;
    for (std::size_t i = 0; i < rows_; ++i) rows.push_back({i, {0}});
    std::vector<Generation> texts(rows_);
    std::size_t token = 0;
    at_[0] = Clock::now();
    const Onlooker onlooker{[&](const DrawnToken& drawn) {
                              if (drawn.row == 0) at_[++token] = Clock::now();
                            },
                            /*one_by_one=*/false, /*with_entropy=*/false};
    sample_rows(*decoding, rows, options_, /*stop_id=*/-1, experiment_.device, texts, onlooker);
  }

  /// Mean milliseconds of a token.
  double between(std::size_t first, std::size_t last) const {
    const auto passed = std::chrono::duration<double, std::milli>(at_[last] - at_[first]).count();
    return passed / static_cast<double>(last - first);
  }

  const Experiment& experiment_;
  std::size_t rows_;
  bool rereads_;
  GenerationOptions options_;
  std::vector<Clock::time_point> at_;
};

void print_training(double milliseconds, std::int64_t steps, bool as_json) {
  if (as_json) {
    std::cout << nlohmann::json{{"step_ms", milliseconds}, {"steps", steps}}.dump(2) << "\n";
  } else {
    std::cout << fixed_digits(milliseconds, 3) << " ms a step over " << steps
              << " steps, without evaluation and saving\n";
  }
}

void print_generation(const StepTimes& times, std::int64_t rows, bool as_json) {
  const auto tokens_per_second = 1e3 * static_cast<double>(rows) / times.milliseconds;
  if (as_json) {
    const nlohmann::json json = {{"step_ms", times.milliseconds},
                                 {"first_quarter_ms", times.first_quarter},
                                 {"last_quarter_ms", times.last_quarter},
                                 {"tokens_per_second", tokens_per_second}};
    std::cout << json.dump(2) << "\n";
  } else {
    std::cout << with_commas(std::llround(tokens_per_second)) << " tokens a second in " << rows
              << (rows == 1 ? " row: " : " rows: ") << fixed_digits(times.milliseconds, 3)
              << " ms a token of each, " << fixed_digits(times.first_quarter, 3)
              << " in the first quarter of a text and " << fixed_digits(times.last_quarter, 3)
              << " in the last\n";
  }
}

/// "128,256" -> its numbers. Throws UserError for anything else, and for fewer than two.
std::vector<std::int64_t> lengths_of(const std::string& text) {
  std::vector<std::int64_t> lengths;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const bool digits = !part.empty() && part.size() < 8 &&
                        part.find_first_not_of("0123456789") == std::string::npos;
    const auto length = digits ? std::stoll(part) : 0;
    require<UserError>(length > 0, "--attention: ", part, " is no length; expected e.g. 128,256");
    lengths.push_back(length);
  }
  require<UserError>(lengths.size() >= 2,
                     "--attention: expected two lengths or more, e.g. 128,256");
  return lengths;
}

/// Attention alone, of as many heads and channels as the config's model has.
void bench_attention(const Config& config, const std::vector<std::int64_t>& lengths, bool as_json) {
  const auto& model = config.model;
  require<UserError>(model.contains("d_model") && model.contains("n_heads"),
                     "--attention: ", config.general.architecture,
                     " has no attention heads; name a config of ", "a transformer");
  const auto profiles = profile_attention(model.at("d_model").get<std::int64_t>(),
                                          model.at("n_heads").get<std::int64_t>(), lengths);
  auto json = nlohmann::json::array();
  Table table({"attention", "tokens", "ms forward and backward", "memory"});
  for (const auto& profile : profiles) {
    auto& one = json.emplace_back(nlohmann::json{{"path", profile.path},
                                                 {"time_exponent", profile.time_exponent},
                                                 {"memory_exponent", profile.memory_exponent}});
    for (const auto& figures : profile.figures) {
      table.add({profile.path, with_commas(figures.length), fixed_digits(figures.milliseconds, 2),
                 bytes_text(figures.peak_bytes)});
      one["figures"].push_back({{"tokens", figures.length},
                                {"ms", figures.milliseconds},
                                {"peak_bytes", figures.peak_bytes}});
    }
    table.add({profile.path, "grows as", "T^" + fixed_digits(profile.time_exponent, 2),
               "T^" + fixed_digits(profile.memory_exponent, 2)});
  }
  if (as_json) {
    std::cout << json.dump(2) << "\n";
  } else {
    table.print(std::cout);
  }
}

int run(const cxxopts::ParseResult& arguments) {
  auto given = config_argument(arguments);
  const auto steps = at_least_one(arguments, "steps");
  const auto warmup = at_least_one(arguments, "warmup");
  const bool as_json = arguments.count("json") > 0;
  if (arguments.count("attention") > 0) {
    bench_attention(given.located, lengths_of(arguments["attention"].as<std::string>()), as_json);
    return kDone;
  }
  auto experiment = make_experiment(std::move(given.located));
  if (arguments.count("generate") == 0) {
    print_training(time_training(experiment, warmup, steps), steps, as_json);
    return kDone;
  }
  const auto rows = at_least_one(arguments, "generate");
  require<UserError>(experiment.config.general.task == TaskType::kLanguageModel,
                     "--generate: ", "needs a language model, the task is ",
                     name_of(experiment.config.general.task));
  GenerationTimer timer(experiment, rows, arguments.count("reread") > 0);
  timer.time(warmup);
  print_generation(timer.time(steps), rows, as_json);
  return kDone;
}

}  // namespace

Command bench_command() {
  return {"bench",
          "CONFIG",
          "Times the training step of a config, writing texts with its model, or its attention",
          "zoo bench configs/names/gpt.json --steps 200",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            options.add_options()("steps", "Steps that are timed",
                                  cxxopts::value<std::int64_t>()->default_value("100"), "N")(
                "warmup", "Steps before them", cxxopts::value<std::int64_t>()->default_value("10"),
                "N")("generate", "Time writing ROWS texts together: a step is a token of each",
                     cxxopts::value<std::int64_t>(), "ROWS")(
                "reread", "With --generate: read all again for each token, without a cache")(
                "attention", "Time attention alone, explicit and fused, at these lengths of a row",
                cxxopts::value<std::string>(), "T,T,...");
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
