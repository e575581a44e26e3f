#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>
#include <vector>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "analysis/attention_profile.h"
#include "analysis/machine.h"
#include "analysis/step_profile.h"
#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "inference/generation.h"
#include "training/experiment.h"

namespace zoo {
namespace {

/// What a token of each text costs.
struct TokenTimes {
  double milliseconds = 0.0;
  double first_quarter = 0.0;  ///< of a text: the mean over its first quarter of tokens
  double last_quarter = 0.0;
};

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
  TokenTimes time(std::int64_t steps) {
    TokenTimes times;
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

/// The line that both kinds of timing a training step begin with.
void print_step(double milliseconds, std::int64_t steps) {
  std::cout << fixed_digits(milliseconds, 3) << " ms a step over " << steps
            << " steps, without evaluation and saving\n";
}

void bench_time_alone(Experiment& experiment, std::int64_t warmup, std::int64_t steps,
                      bool as_json) {
  const auto milliseconds = time_steps(experiment, warmup, steps);
  if (as_json) {
    std::cout << nlohmann::json{{"step_ms", milliseconds}, {"steps", steps}}.dump(2) << "\n";
  } else {
    print_step(milliseconds, steps);
  }
}

/// A training step beside what this machine could do.
struct StepBench {
  StepProfile times;
  double flops = 0.0;  ///< of a step
  ProductPeak peak;

  double flops_per_second() const { return 1e3 * flops / times.milliseconds; }
  double share_of_peak() const { return flops_per_second() / peak.flops_per_second; }
};

nlohmann::json to_json(const StepBench& bench, std::int64_t steps) {
  nlohmann::json json = {{"step_ms", bench.times.milliseconds},
                         {"steps", steps},
                         {"watched_step_ms", bench.times.watched_milliseconds},
                         {"threads", torch::get_num_threads()},
                         {"flops", bench.flops},
                         {"flops_per_second", bench.flops_per_second()},
                         {"peak_flops_per_second", bench.peak.flops_per_second},
                         {"share_of_peak", bench.share_of_peak()}};
  const auto shares = percentages(bench.times.seconds);
  for (const auto& [name, work] : names_of(Work())) {
    json["time_percent"][name] = shares[static_cast<std::size_t>(work)];
  }
  return json;
}

const char* meaning_of(Work work) {
  switch (work) {
    case Work::kProducts:
      return "matrix products, convolutions, fused recurrent layers";
    case Work::kAttention:
      return "scores, weights and what they mix; its projections are products";
    case Work::kNorms:
      return "layer, RMS, batch and group norms";
    case Work::kOptimizer:
      return "zeroing and clipping gradients, the update";
    case Work::kData:
      return "making the batches";
    case Work::kWaiting:
      return "not running: for a device, for another thread, for a core";
    case Work::kOther:
      break;
  }
  return "activations, embeddings, losses, LibTorch around it all";
}

void print_bench(const StepBench& bench, std::int64_t steps) {
  print_step(bench.times.milliseconds, steps);
  Table table({"spent on", "share", "ms", "<which is"});
  const auto shares = percentages(bench.times.seconds);
  for (const auto& [name, work] : names_of(Work())) {
    const auto percent = shares[static_cast<std::size_t>(work)];
    table.add({name, fixed_digits(percent, 1) + " %",
               fixed_digits(percent / 100.0 * bench.times.milliseconds, 3), meaning_of(work)});
  }
  table.print(std::cout);
  const auto giga = [](double flops) { return significant_digits(flops / 1e9, 3); };
  const auto size = with_commas(bench.peak.size);
  const auto watched = text_of("shares of as many steps whose parts were timed, ",
                               fixed_digits(bench.times.watched_milliseconds, 3), " ms each");
  const auto speed =
      text_of(giga(bench.flops), " GFLOP a step, ", giga(bench.flops_per_second()),
              " GFLOP/s: ", fixed_digits(100.0 * bench.share_of_peak(), 1), " % of the ",
              giga(bench.peak.flops_per_second), " of a float32 product of ", size, " x ", size,
              " here, threads: ", torch::get_num_threads());
  std::cout << fitted({"", "  "}, watched) << "\n" << fitted({"", "  "}, speed) << "\n";
}

void bench_training(Experiment& experiment, std::int64_t warmup, std::int64_t steps, bool as_json) {
  StepBench bench;
  bench.flops = flops_of_step(experiment, warmup + 2 * steps);
  bench.peak = measure_product_peak(experiment.device);
  bench.times = profile_steps(experiment, warmup, steps);
  if (as_json) {
    std::cout << to_json(bench, steps).dump(2) << "\n";
  } else {
    print_bench(bench, steps);
  }
}

void print_generation(const TokenTimes& times, std::int64_t rows, bool as_json) {
  const auto tokens_per_second = 1e3 * static_cast<double>(rows) / times.milliseconds;
  if (as_json) {
    const nlohmann::json json = {{"step_ms", times.milliseconds},
                                 {"first_quarter_ms", times.first_quarter},
                                 {"last_quarter_ms", times.last_quarter},
                                 {"tokens_per_second", tokens_per_second}};
    std::cout << json.dump(2) << "\n";
  } else {
    const auto told =
        text_of(with_commas(std::llround(tokens_per_second)), " tokens a second in ", rows,
                rows == 1 ? " row: " : " rows: ", fixed_digits(times.milliseconds, 3),
                " ms a token of each, ", fixed_digits(times.first_quarter, 3),
                " in the first quarter of a text and ", fixed_digits(times.last_quarter, 3),
                " in the last");
    std::cout << fitted({"", "  "}, told) << "\n";
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

constexpr const char* kTimeNote =
    "The shares of a step's time hold forward and backward. They are those of steps whose parts "
    "are timed, in turns with the steps that give the time; on a GPU they are the host's. What a "
    "step uses of the machine: its FLOPs, as zoo inspect counts them, over its time, against the "
    "fastest float32 matrix product, measured just before with the same threads.";

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
    const auto bench = arguments.count("time-only") > 0 ? bench_time_alone : bench_training;
    bench(experiment, warmup, steps, as_json);
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
                "N")("time-only", "Only how long a step takes")(
                "generate", "Time writing ROWS texts together: a step is a token of each",
                cxxopts::value<std::int64_t>(), "ROWS")(
                "reread", "With --generate: read all again for each token, without a cache")(
                "attention", "Time attention alone, explicit and fused, at these lengths of a row",
                cxxopts::value<std::string>(), "T,T,...");
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run,
          kTimeNote};
}

}  // namespace zoo
