#include <cmath>
#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "training/evaluation.h"

namespace zoo {
namespace {

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  const auto experiment = experiment_of(opened);
  const auto split = arguments.count("split") > 0 ? arguments["split"].as<std::string>()
                                                  : experiment.judging_split();
  const auto batches = experiment.all_batches(split);
  const auto evaluation = evaluate(*experiment.model, *experiment.task, *batches, split);

  if (arguments.count("json") > 0) {
    nlohmann::json json = {{"run", opened.folder.string()},
                           {"step", opened.checkpoint.step},
                           {"split", split},
                           {"loss", evaluation.loss},
                           {"bits", evaluation.bits()},
                           {"tokens", evaluation.tokens}};
    for (const auto& [name, value] : evaluation.figures) json[name] = value;
    std::cout << json.dump(2) << "\n";
    return kDone;
  }
  std::cout << opened.folder.string() << " at step " << with_commas(opened.checkpoint.step)
            << (experiment.data.val.empty() ? "; there is no val split" : "") << "\n\n";
  Table table({"split", "tokens", "loss", "bits per token", "perplexity", "accuracy"});
  table.add({split, with_commas(evaluation.tokens), fixed_digits(evaluation.loss, 4),
             fixed_digits(evaluation.bits(), 3), fixed_digits(std::exp(evaluation.loss), 2),
             fixed_digits(evaluation.figures.at("accuracy"), 4)});
  table.print(std::cout);
  return kDone;
}

}  // namespace

Command eval_command() {
  return {"eval",
          "RUN",
          "Measures a run on a whole split of its data",
          "zoo eval runs/first --split val",
          [](cxxopts::Options& options) {
            add_run_options(options);
            options.add_options()("split", "train, val or test; default val, or train without one",
                                  cxxopts::value<std::string>(), "NAME");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
