#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/table.h"
#include "training/experiment.h"

namespace zoo {
namespace {

nlohmann::json value_of(const nlohmann::json& document, const std::string& section,
                        const std::string& key) {
  const auto object =
      section.empty() ? document : document.value(section, nlohmann::json::object());
  return object.value(key, nlohmann::json());
}

int run(const cxxopts::ParseResult& arguments) {
  const auto given = config_argument(arguments);
  const auto& raw = given.raw;
  const auto& config = given.config;
  choose_device(config.general.device);
  const auto document = config.to_json();
  if (arguments.count("json") > 0) {
    std::cout << nlohmann::json{{"valid", true}, {"config", document}}.dump(2) << "\n";
    return kDone;
  }
  Table table({"key", "<value", "<from"});
  for (const auto& section : config_sections(config.general.architecture, config.reads_images())) {
    for (const auto& option : section.options) {
      const auto value = value_of(document, section.name, option.name);
      if (value.is_null()) continue;
      table.add({section.name.empty() ? option.name : section.name + "." + option.name,
                 value.dump(), origin_of(raw, section.name, option.name)});
    }
  }
  table.print(std::cout);
  std::cout << "\n" << raw.file.string() << ": valid\n";
  return kDone;
}

}  // namespace

Command validate_command() {
  return {"validate",
          "CONFIG",
          "Checks a config and shows every value and where it came from",
          "zoo validate configs/names/gpt.json --set model.d_model=128",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            add_json_option(options);
            options.parse_positional({"config"});
          },
          run};
}

}  // namespace zoo
