#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/names.h"
#include "inference/filling.h"

namespace zoo {
namespace {

void print(const std::string& source, const Filling& filling) {
  std::cout << source << " → " << filling.text << "\n";
  for (const auto& candidates : filling.places) {
    std::string line;
    for (const auto& one : candidates) {
      line += "  " + quoted(one.token) + " " + fixed_digits(one.probability, 3);
    }
    std::cout << line << "\n";
  }
}

nlohmann::json to_json(const std::string& source, const Filling& filling) {
  auto places = nlohmann::json::array();
  for (const auto& candidates : filling.places) {
    auto& place = places.emplace_back(nlohmann::json::array());
    for (const auto& one : candidates) {
      place.push_back({{"token", one.token}, {"probability", one.probability}});
    }
  }
  return {{"source", source},
          {"text", filling.text},
          {"score", filling.log_probability},
          {"places", places}};
}

int run(const cxxopts::ParseResult& arguments) {
  const auto count = at_least_one(arguments, "top");
  const auto opened = open_run(arguments);
  require_task(opened, TaskType::kMaskedLanguageModel);
  const bool json = arguments.count("json") > 0;
  auto results = nlohmann::json::array();
  for_texts(arguments, [&](const std::vector<std::string>& texts) {
    const auto fillings = fill(trained_model(opened), texts, count);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      if (json) {
        results.push_back(to_json(texts[i], fillings[i]));
      } else {
        print(texts[i], fillings[i]);
      }
    }
  });
  if (json) print_results(opened, std::move(results));
  return kDone;
}

}  // namespace

Command fill_command() {
  return {"fill",
          "RUN [TEXT...]",
          "Finds what [MASK] stands for in each text: arguments, or lines of stdin",
          "zoo fill runs/names-bert \"em[MASK]a\"",
          [](cxxopts::Options& options) {
            add_run_options(options);
            add_text_arguments(options, "Texts with [MASK] where a token is to be found");
            options.add_options()("top", "Candidates of each place",
                                  cxxopts::value<std::int64_t>()->default_value("5"), "N");
            add_json_option(options);
          },
          run};
}

}  // namespace zoo
