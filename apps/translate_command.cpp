#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/generation_options.h"
#include "apps/run_options.h"
#include "core/errors.h"
#include "inference/translation.h"

namespace zoo {
namespace {

/// Sources that are translated together: enough to fill batches, few enough to answer soon.
constexpr std::size_t kSourcesAtOnce = 4096;

GenerationOptions decoding_options(const cxxopts::ParseResult& arguments) {
  GenerationOptions options;
  options.sampling.greedy = true;
  for (const auto* name : {"temperature", "top-k", "top-p", "min-p"}) {
    if (arguments.count(name) > 0) options.sampling.greedy = false;
  }
  return generation_options(arguments, options);
}

/// Translates and prints; with --json the results are collected for one object.
class Printer {
 public:
  Printer(const cxxopts::ParseResult& arguments, const Run& run, bool show_sources)
      : translator_(translator_of(*run.model, *run.tokenizer, run.config)),
        options_(decoding_options(arguments)),
        json_(arguments.count("json") > 0),
        show_sources_(show_sources) {
    translator_.cut = translator_.cut || arguments.count("cut") > 0;
  }

  void translate_all(const std::vector<std::string>& sources) {
    const auto translations = translate(translator_, sources, options_);
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const auto& one = translations[i];
      if (json_) {
        results_.push_back(
            {{"source", sources[i]}, {"text", one.text}, {"score", one.log_probability}});
      } else {
        std::cout << (show_sources_ ? sources[i] + " → " : "") << one.text << "\n";
      }
    }
    std::cout << std::flush;
  }

  void finish(const std::string& run) const {
    if (!json_) return;
    const nlohmann::json json = {{"run", run}, {"results", results_}};
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  }

 private:
  Translator translator_;
  GenerationOptions options_;
  bool json_;
  bool show_sources_;
  nlohmann::json results_ = nlohmann::json::array();
};

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  require<UserError>(translates(opened.config), opened.folder.string(), ": its task is ",
                     name_of(opened.config.general.task), "; `", program_name(), " generate ",
                     opened.folder.string(), "` writes with it");
  const bool given = arguments.count("text") > 0;
  Printer printer(arguments, opened, given);
  if (given) {
    printer.translate_all(arguments["text"].as<std::vector<std::string>>());
  } else {
    std::vector<std::string> lines;
    for (std::string line; std::getline(std::cin, line);) {
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(line);
      if (lines.size() < kSourcesAtOnce) continue;
      printer.translate_all(lines);
      lines.clear();
    }
    printer.translate_all(lines);
  }
  printer.finish(opened.folder.string());
  return kDone;
}

}  // namespace

Command translate_command() {
  return {"translate",
          "RUN [TEXT...]",
          "Writes the target of each source: arguments, or lines of stdin",
          "zoo translate runs/words \"forty two\" \"one hundred five\"",
          [](cxxopts::Options& options) {
            add_run_options(options);
            options.add_options()("cut", "Take the end off a source that is too long")(
                "text", "The sources", cxxopts::value<std::vector<std::string>>());
            add_generation_options(options);
            add_json_option(options);
            options.parse_positional({"run", "text"});
          },
          run};
}

}  // namespace zoo
