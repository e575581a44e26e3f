#include <iostream>

#include "analysis/attention_page.h"
#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "core/files.h"
#include "inference/attention_maps.h"
#include "inference/translation.h"

namespace zoo {
namespace {

/// The target that is looked at: the one given, or what the run writes.
std::string target_of(const cxxopts::ParseResult& arguments, const TrainedModel& trained,
                      const std::string& text) {
  const bool given = arguments.count("target") > 0;
  if (!translates(trained.config)) {
    require<UserError>(!given, "--target: the run writes no targets; leave it out");
    return "";
  }
  if (given) return arguments["target"].as<std::string>();
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  return translate(trained, {text}, options)[0][0].text;
}

AttentionPage page_of(const Run& run, const std::string& text, const std::string& target) {
  AttentionPage page;
  page.title = run.folder.filename().string() + ": " + run.config.general.architecture;
  page.text = translates(run.config) ? text + " → " + target : text;
  for (const auto& map : attention_maps(trained_model(run), text, target)) {
    AttentionLayer layer;
    layer.name = map.layer.empty() ? "attention" : map.layer;
    layer.queries = map.queries;
    layer.keys = map.keys;
    layer.heads = map.weights.size(0);
    const auto* weights = map.weights.const_data_ptr<float>();
    layer.weights.assign(weights, weights + map.weights.numel());
    page.layers.push_back(std::move(layer));
  }
  return page;
}

int run(const cxxopts::ParseResult& arguments) {
  require<UserError>(arguments.count("out") > 0, "--out: missing; give the HTML file to write");
  require<UserError>(texts_are_given(arguments), "no TEXT given; see --help");
  const auto texts = arguments["text"].as<std::vector<std::string>>();
  require<UserError>(texts.size() == 1, "attention: shows one text, got ", texts.size(),
                     "; put it in quotes");
  const auto opened = open_run(arguments);
  const auto target = target_of(arguments, trained_model(opened), texts[0]);
  const auto page = page_of(opened, texts[0], target);
  const std::filesystem::path out = arguments["out"].as<std::string>();
  replace_file(out, attention_page(page));
  std::cout << out.string() << ": " << page.layers.size()
            << (page.layers.size() == 1 ? " layer, " : " layers, ") << page.text << "\n";
  return kDone;
}

}  // namespace

Command attention_command() {
  return {"attention",
          "RUN TEXT",
          "Draws what every attention head looks at in a text, as one HTML file",
          "zoo attention runs/words \"forty two\" --out attention.html",
          [](cxxopts::Options& options) {
            using cxxopts::value;
            add_run_options(options);
            add_text_arguments(options, "The text");
            options.add_options()("out", "The HTML file to write", value<std::string>(), "FILE")(
                "target", "Of a run that translates: the target; default what it writes",
                value<std::string>(), "TEXT");
          },
          run};
}

}  // namespace zoo
