#include <iostream>

#include "apps/command.h"
#include "training/config.h"

namespace zoo {

Command schema_command() {
  return {"schema",
          "",
          "Prints the JSON Schema of configs, with which editors complete and check them",
          "zoo schema > zoo.schema.json",
          [](cxxopts::Options& /*options*/) {},
          [](const cxxopts::ParseResult& /*arguments*/) -> int {
            std::cout << config_schema().dump(2) << "\n";
            return kDone;
          }};
}

}  // namespace zoo
