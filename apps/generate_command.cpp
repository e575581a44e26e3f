#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/generated.h"
#include "apps/run_options.h"
#include "core/errors.h"

namespace zoo {
namespace {

GenerationOptions generation_options(const cxxopts::ParseResult& arguments) {
  GenerationOptions options;
  const auto read = [&]<class T>(const char* name, T& value) {
    if (arguments.count(name) > 0) value = arguments[name].as<T>();
  };
  read("max-new-tokens", options.max_new_tokens);
  read("seed", options.seed);
  read("temperature", options.sampling.temperature);
  read("top-k", options.sampling.top_k);
  read("top-p", options.sampling.top_p);
  read("min-p", options.sampling.min_p);
  read("repetition-penalty", options.sampling.repetition_penalty);
  options.sampling.greedy = arguments.count("greedy") > 0;
  options.validate("generate");
  return options;
}

/// The run's training texts, or none where its data is no longer there.
std::unique_ptr<TrainingTextIndex> training_texts(const Run& run) {
  try {
    return std::make_unique<TrainingTextIndex>(experiment_of(run).data);
  } catch (const UserError& error) {
    std::cerr << "note: texts of the training data are not marked: " << error.what() << "\n";
    return nullptr;
  }
}

int run(const cxxopts::ParseResult& arguments) {
  const auto options = generation_options(arguments);
  const auto count = arguments["count"].as<std::int64_t>();
  require<UserError>(count >= 1, "--count: got ", count, "; at least 1");
  const auto opened = open_run(arguments);
  const auto prompt = arguments.count("prompt") > 0 ? arguments["prompt"].as<std::string>() : "";
  const auto texts =
      generate_texts(*opened.model, *opened.tokenizer, opened.config, prompt, count, options);
  const auto index = training_texts(opened);
  if (arguments.count("json") > 0) {
    const nlohmann::json json = {{"run", opened.folder.string()},
                                 {"samples", samples_json(texts, index.get())}};
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  } else {
    print_samples(texts, index.get(), std::cout);
  }
  return kDone;
}

}  // namespace

Command generate_command() {
  return {
      "generate",
      "RUN",
      "Writes new texts with the model of a run",
      "zoo generate runs/first --prompt sa --count 20 --temperature 0.8 --top-p 0.95",
      [](cxxopts::Options& options) {
        add_run_options(options);
        using cxxopts::value;
        options.add_options()("prompt", "What each text starts with", value<std::string>(), "TEXT")(
            "count", "Number of texts", value<std::int64_t>()->default_value("10"), "N")(
            "max-new-tokens", "Most tokens after the prompt", value<std::int64_t>(), "N")(
            "seed", "The same seed gives the same texts", value<std::int64_t>(), "N")(
            "temperature", "Below 1: likelier tokens; 0: the likeliest", value<double>(), "X")(
            "top-k", "Only the K likeliest tokens", value<std::int64_t>(), "K")(
            "top-p", "Only the likeliest tokens that make up P together", value<double>(), "P")(
            "min-p", "Only tokens with P times the likeliest one's probability", value<double>(),
            "P")("repetition-penalty", "Above 1: tokens already there become less likely",
                 value<double>(), "X")("greedy", "Always the likeliest token");
        add_json_option(options);
      },
      run};
}

}  // namespace zoo
