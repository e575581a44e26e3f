#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/table.h"
#include "core/names.h"
#include "models/model.h"

namespace zoo {
namespace {

int run(const cxxopts::ParseResult& arguments) {
  if (arguments.count("json") > 0) {
    auto rows = nlohmann::json::array();
    for (const auto& row : architectures()) {
      rows.push_back({{"name", row.name}, {"tasks", row.tasks}, {"summary", row.summary}});
    }
    std::cout << nlohmann::json{{"architectures", rows}}.dump(2) << "\n";
    return kDone;
  }
  Table table({"architecture", "<tasks", "<what it is"});
  for (const auto& row : architectures()) table.add({row.name, join(row.tasks, ", "), row.summary});
  table.print(std::cout);
  return kDone;
}

}  // namespace

Command list_command() {
  return {"list",
          "",
          "Lists the architectures",
          "zoo list",
          [](cxxopts::Options& options) { add_json_option(options); },
          run};
}

}  // namespace zoo
