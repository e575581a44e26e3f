#include "analysis/comparison.h"

#include <algorithm>
#include <cctype>
#include <set>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/names.h"
#include "training/experiment.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Options of data that say how examples are shown or how many are learned from, not which are
/// judged.
const std::set<std::string> kOfTheModel = {"view", "window", "long_lines", "train_images"};

void expect_keys(const Json& json, const std::vector<std::string>& known,
                 const std::string& place) {
  require<UserError>(json.is_object(), place, ": expected an object, got ", json.dump());
  for (const auto& [key, value] : json.items()) {
    const bool found = std::find(known.begin(), known.end(), key) != known.end();
    require<UserError>(found, place, ".", key, ": unknown key; known are ", join(known, ", "),
                       did_you_mean(key, known));
  }
}

std::string text_at(const Json& json, const std::string& key, const std::string& otherwise,
                    const std::string& place) {
  if (!json.contains(key)) return otherwise;
  require<UserError>(json.at(key).is_string(), place, ".", key, ": expected text, got ",
                     json.at(key).dump());
  return json.at(key).get<std::string>();
}

/// The path of a file in `folder` or in one above it; as it is where there is none.
std::string path_from(const fs::path& folder, const std::string& path) {
  for (auto start = fs::absolute(folder);; start = start.parent_path()) {
    if (fs::exists(start / path)) return (start / path).lexically_normal().string();
    if (start == start.parent_path()) return path;
  }
}

/// A comparison's settings, its paths meant as those of a config.
std::string setting_of(const std::string& key, const Json& value, const fs::path& folder) {
  auto text = value.is_string() ? value.get<std::string>() : value.dump();
  const bool names_file = key.starts_with("data.") && key.ends_with("path") && !text.empty();
  return key + "=" + (names_file ? path_from(folder, text) : text);
}

std::vector<std::string> settings_at(const Json& json, const fs::path& folder,
                                     const std::string& place) {
  std::vector<std::string> settings;
  if (!json.contains("set")) return settings;
  require<UserError>(json.at("set").is_object(), place, ".set: expected an object of settings");
  for (const auto& [key, value] : json.at("set").items())
    settings.push_back(setting_of(key, value, folder));
  return settings;
}

/// A choice of every key of a grid.
struct GridPoint {
  std::string name;
  std::vector<std::string> settings;
};

std::vector<GridPoint> grid_at(const Json& json, const fs::path& folder, const std::string& place) {
  std::vector<GridPoint> points = {{"", {}}};
  if (!json.contains("grid")) return points;
  require<UserError>(json.at("grid").is_object(), place, ".grid: expected an object of lists");
  for (const auto& [key, values] : json.at("grid").items()) {
    require<UserError>(values.is_array() && !values.empty(), place, ".grid.", key,
                       ": expected a list of values, got ", values.dump());
    std::vector<GridPoint> more;
    for (const auto& point : points) {
      for (const auto& value : values) {
        auto next = point;
        const auto shown = value.is_string() ? value.get<std::string>() : value.dump();
        next.name += " " + key.substr(key.rfind('.') + 1) + " " + shown;
        next.settings.push_back(setting_of(key, value, folder));
        more.push_back(std::move(next));
      }
    }
    points = std::move(more);
  }
  return points;
}

void expect_different(const std::vector<std::string>& names, const std::string& place,
                      const char* what, const char* mend) {
  std::set<std::string> seen;
  for (const auto& name : names) {
    require<UserError>(seen.insert(name).second, place, ": the ", what, " ", name,
                       " stands twice; ", mend);
  }
}

/// The contenders of one entry of `runs` on a problem.
std::vector<Contender> contenders_at(const Json& run, const Json& all, const Json& problem,
                                     const fs::path& folder, const std::string& place) {
  expect_keys(run, {"name", "config", "set", "grid", "scale"}, place);
  const auto config = text_at(run, "config", "", place);
  require<UserError>(!config.empty(), place, ".config: missing; name a config file");
  const auto beside = (folder / config).lexically_normal();
  const auto file = fs::exists(beside) ? beside : fs::path(config);
  const auto name = text_at(run, "name", file.stem().string(), place);
  std::vector<Contender> contenders;
  for (const auto& common : grid_at(all, folder, "grid of all")) {
    for (const auto& point : grid_at(run, folder, place)) {
      auto settings = settings_at(all, folder, "set of all");
      for (const auto& more : {common.settings, settings_at(run, folder, place), point.settings,
                               settings_at(problem, folder, "set of a problem")}) {
        settings.insert(settings.end(), more.begin(), more.end());
      }
      auto raw = read_config(file, settings);
      auto resolved = resolve_config(raw);
      locate_data(raw, resolved);
      contenders.push_back({name + common.name + point.name, std::move(settings), std::move(raw),
                            std::move(resolved), text_at(run, "scale", "", place)});
    }
  }
  return contenders;
}

std::vector<std::int64_t> seeds_at(const Json& json, const std::string& place) {
  std::vector<std::int64_t> seeds;
  std::vector<std::string> names;
  const auto given = json.value("seeds", Json::array({1}));
  require<UserError>(given.is_array() && !given.empty(), place, ".seeds: expected a list of seeds");
  for (const auto& seed : given) {
    require<UserError>(seed.is_number_integer() && seed.get<std::int64_t>() >= 0, place,
                       ".seeds: ", seed.dump(), " is no seed; at least 0");
    seeds.push_back(seed.get<std::int64_t>());
    names.push_back(seed.dump());
  }
  expect_different(names, place + ".seeds", "seed", "each makes one run");
  return seeds;
}

void expect_same_data(const Problem& problem, const std::string& place) {
  const auto& first = problem.contenders.front();
  for (const auto& other : problem.contenders) {
    const auto difference = data_difference(first.config, other.config);
    require<UserError>(difference.empty(), place, ": ", first.name, " and ", other.name,
                       " are judged on different data: ", difference, "; set it for all in `set`");
  }
}

void expect_one_task(const Comparison& comparison) {
  const auto& first = comparison.problems.front().contenders.front();
  for (const auto& problem : comparison.problems) {
    for (const auto& other : problem.contenders) {
      require<UserError>(first.config.general.task == other.config.general.task,
                         comparison.file.string(), ": ", first.name, " learns ",
                         name_of(first.config.general.task), " and ", other.name, " learns ",
                         name_of(other.config.general.task), "; compare models of one task");
    }
  }
}

/// The list under a key, of objects with the keys that are shown.
Json list_at(const Json& json, const char* key, const char* shown, const std::string& place) {
  auto list = json.value(key, Json::array());
  require<UserError>(list.is_array() && !list.empty(), place, ".", key, ": expected a list of ",
                     shown);
  return list;
}

/// What is set for each problem; one without a name where the comparison names none.
Json problems_at(const Json& json, const std::string& place) {
  if (!json.contains("problems")) return Json::array({Json::object()});
  auto problems = list_at(json, "problems", R"({"name": NAME, "set": {...}})", place);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const auto here = text_of(place, ".problems[", i, "]");
    expect_keys(problems[i], {"name", "set"}, here);
    names.push_back(folder_name(text_at(problems[i], "name", "", here)));
    require<UserError>(!names.back().empty(), here, ".name: missing; name the problem");
  }
  expect_different(names, place + ".problems", "name", "give one of them another");
  return problems;
}

}  // namespace

void Budget::validate(const std::string& path) const {
  const auto lengths = (steps ? 1 : 0) + (tokens ? 1 : 0) + (seconds ? 1 : 0) + (flops ? 1 : 0);
  require<ConfigError>(lengths <= 1, path,
                       ": more than one of steps, tokens, seconds and flops; keep one");
}

std::string data_difference(const Config& a, const Config& b) {
  const auto data_of = [](const Config& config) {
    return config.reads_images() ? write_options(config.images) : write_options(config.data);
  };
  const auto of_a = data_of(a);
  const auto of_b = data_of(b);
  for (const auto& [key, value] : of_a.items()) {
    if (kOfTheModel.count(key) > 0) continue;
    const auto other = of_b.value(key, Json());
    if (value != other) return "data." + key + " is " + value.dump() + " and " + other.dump();
  }
  return "";
}

std::string folder_name(std::string name) {
  for (auto& c : name) c = std::isalnum(static_cast<unsigned char>(c)) || c == '.' ? c : '-';
  return name;
}

Comparison read_comparison(const fs::path& file) {
  const auto json = read_json_file(file);
  const auto place = file.string();
  expect_keys(
      json,
      {"title", "split", "seeds", "budget", "gradient_reach", "set", "grid", "runs", "problems"},
      place);
  Comparison comparison;
  comparison.file = file;
  comparison.title = text_at(json, "title", file.stem().string(), place);
  comparison.split = text_at(json, "split", "val", place);
  comparison.seeds = seeds_at(json, place);
  comparison.budget = read_options<Budget>(json.value("budget", Json::object()), "budget");
  const auto reach = json.value("gradient_reach", Json(false));
  require<UserError>(reach.is_boolean(), place, ".gradient_reach: expected true or false, got ",
                     reach.dump());
  comparison.gradient_reach = reach.get<bool>();
  const auto runs = list_at(json, "runs", R"({"config": FILE, ...})", place);
  for (const auto& given : problems_at(json, place)) {
    auto& problem = comparison.problems.emplace_back();
    problem.name = given.value("name", "");
    for (std::size_t i = 0; i < runs.size(); ++i) {
      auto contenders =
          contenders_at(runs[i], json, given, file.parent_path(), text_of(place, ".runs[", i, "]"));
      std::move(contenders.begin(), contenders.end(), std::back_inserter(problem.contenders));
    }
    expect_same_data(problem, problem.name.empty() ? place : place + ": " + problem.name);
  }
  std::vector<std::string> names;
  for (const auto& one : comparison.problems.front().contenders)
    names.push_back(folder_name(one.name));
  expect_different(names, place + ".runs", "name", "give one of them another `name`");
  expect_one_task(comparison);
  return comparison;
}

}  // namespace zoo
