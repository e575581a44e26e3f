#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "inference/classification.h"

namespace zoo {
namespace {

void print(const std::string& text, const Classification& classification) {
  std::cout << text << " → " << classification.label();
  for (std::size_t k = 0; k < classification.classes.size(); ++k) {
    std::cout << "   " << classification.classes[k] << " "
              << fixed_digits(classification.probabilities[k], 3);
  }
  std::cout << "\n";
}

nlohmann::json to_json(const std::string& text, const Classification& classification) {
  auto top = nlohmann::json::array();
  for (std::size_t k = 0; k < classification.classes.size(); ++k) {
    top.push_back(
        {{"label", classification.classes[k]}, {"probability", classification.probabilities[k]}});
  }
  return {{"input", text},
          {"label", classification.label()},
          {"probability", classification.probability()},
          {"top", top}};
}

int run(const cxxopts::ParseResult& arguments) {
  const auto opened = open_run(arguments);
  require_task(opened, TaskType::kTextClassification);
  const bool json = arguments.count("json") > 0;
  const bool cut = arguments.count("cut") > 0;
  auto results = nlohmann::json::array();
  for_texts(arguments, [&](const std::vector<std::string>& texts) {
    const auto found = classify(trained_model(opened), texts, cut);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (json) {
        results.push_back(to_json(texts[i], found[i]));
      } else {
        print(texts[i], found[i]);
      }
    }
  });
  if (json) print_results(opened, std::move(results));
  return kDone;
}

}  // namespace

Command classify_command() {
  return {"classify",
          "RUN [TEXT...]",
          "Says which class each text belongs to: arguments, or lines of stdin",
          "zoo classify runs/names-sex emma noah",
          [](cxxopts::Options& options) {
            add_run_options(options);
            add_text_arguments(options, "The texts");
            options.add_options()("cut", "Take the end off a text that is too long");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
