#include <iostream>
#include <memory>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/generated.h"
#include "apps/generation_options.h"
#include "apps/run_options.h"
#include "core/errors.h"

namespace zoo {
namespace {

/// The run's training texts, or none where its data is no longer there.
std::unique_ptr<const TrainingTextIndex> training_texts(const Run& run) {
  try {
    return index_training_text(experiment_of(run).text);
  } catch (const UserError& error) {
    std::cerr << "note: texts of the training data are not marked: " << error.what() << "\n";
    return nullptr;
  }
}

int run(const cxxopts::ParseResult& arguments) {
  const auto options = generation_options(arguments, GenerationOptions());
  const auto count = arguments["count"].as<std::int64_t>();
  require<UserError>(count >= 1, "--count: got ", count, "; at least 1");
  const auto opened = open_run(arguments);
  require_task(opened, TaskType::kLanguageModel);
  const auto prompt = arguments.count("prompt") > 0 ? arguments["prompt"].as<std::string>() : "";
  const auto texts = generate_texts(trained_model(opened), prompt, count, options);
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
  return {"generate",
          "RUN",
          "Writes new texts with the model of a run",
          "zoo generate runs/first --prompt sa --count 20 --temperature 0.8 --top-p 0.95",
          [](cxxopts::Options& options) {
            add_run_options(options);
            using cxxopts::value;
            options.add_options()("prompt", "What each text starts with", value<std::string>(),
                                  "TEXT")("count", "Number of texts",
                                          value<std::int64_t>()->default_value("10"), "N");
            add_generation_options(options);
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
