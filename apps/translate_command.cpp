#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/generation_options.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "inference/translation.h"

namespace zoo {
namespace {

TranslationOptions translation_options(const cxxopts::ParseResult& arguments, const Run& run) {
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  for (const auto* name : {"temperature", "top-k", "top-p", "min-p"}) {
    if (arguments.count(name) == 0) continue;
    options.generation.sampling.greedy = false;
    require<UserError>(arguments.count("beams") == 0, "--", name,
                       ": draws at random, and --beams looks for the likeliest; give one of them");
  }
  options.generation = generation_options(arguments, options.generation);
  options.beams = beam_options(arguments);
  options.cut = arguments.count("cut") > 0 || run.config.data.long_lines == LongLines::kCut;
  return options;
}

/// Translates and prints; with --json the results are collected for one object.
class Printer {
 public:
  Printer(const cxxopts::ParseResult& arguments, const Run& run)
      : trained_(trained_model(run)),
        options_(translation_options(arguments, run)),
        n_best_(static_cast<std::size_t>(at_least_one(arguments, "n-best"))),
        json_(arguments.count("json") > 0),
        show_sources_(texts_are_given(arguments)) {
    require<UserError>(n_best_ == 1 || static_cast<std::int64_t>(n_best_) <= options_.beams.beams,
                       "--n-best: ", n_best_, " of ", options_.beams.beams,
                       " beams; give at least as many --beams");
  }

  void translate_all(const std::vector<std::string>& sources) {
    const auto translations = translate(trained_, sources, options_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      if (json_) {
        results_.push_back(to_json(sources[i], translations[i]));
      } else {
        print(sources[i], translations[i]);
      }
    }
    std::cout << std::flush;
  }

  const nlohmann::json& results() const { return results_; }

 private:
  void print(const std::string& source, const std::vector<Translation>& translations) const {
    std::cout << (show_sources_ ? source + " → " : "") << translations[0].text << "\n";
    if (n_best_ == 1) return;
    for (std::size_t i = 0; i < std::min(n_best_, translations.size()); ++i) {
      std::cout << "  " << fixed_digits(translations[i].log_probability, 3) << "  "
                << translations[i].text << "\n";
    }
  }

  nlohmann::json to_json(const std::string& source,
                         const std::vector<Translation>& translations) const {
    nlohmann::json result = {{"source", source},
                             {"text", translations[0].text},
                             {"score", translations[0].log_probability}};
    for (std::size_t i = 0; n_best_ > 1 && i < std::min(n_best_, translations.size()); ++i) {
      result["n_best"].push_back(
          {{"text", translations[i].text}, {"score", translations[i].log_probability}});
    }
    return result;
  }

  TrainedModel trained_;
  TranslationOptions options_;
  std::size_t n_best_;
  bool json_;
  bool show_sources_;
  nlohmann::json results_ = nlohmann::json::array();
};

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  require_task(opened, TaskType::kSequenceToSequence);
  Printer printer(arguments, opened);
  for_texts(arguments,
            [&](const std::vector<std::string>& texts) { printer.translate_all(texts); });
  if (arguments.count("json") > 0) print_results(opened, printer.results());
  return kDone;
}

}  // namespace

Command translate_command() {
  return {"translate",
          "RUN [TEXT...]",
          "Writes the target of each source: arguments, or lines of stdin",
          "zoo translate runs/words \"forty two\" \"one hundred five\" --beams 4",
          [](cxxopts::Options& options) {
            add_run_options(options);
            add_text_arguments(options, "The sources");
            options.add_options()("cut", "Take the end off a source that is too long")(
                "n-best", "Targets to show for each source, of a beam",
                cxxopts::value<std::int64_t>()->default_value("1"), "N");
            add_beam_options(options);
            add_generation_options(options);
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
