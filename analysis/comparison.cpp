#include "analysis/comparison.h"

#include <algorithm>
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

std::string setting_of(const std::string& key, const Json& value) {
  return key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
}

std::vector<std::string> settings_at(const Json& json, const std::string& place) {
  std::vector<std::string> settings;
  if (!json.contains("set")) return settings;
  require<UserError>(json.at("set").is_object(), place, ".set: expected an object of settings");
  for (const auto& [key, value] : json.at("set").items())
    settings.push_back(setting_of(key, value));
  return settings;
}

/// A choice of every key of a grid.
struct GridPoint {
  std::string name;
  std::vector<std::string> settings;
};

std::vector<GridPoint> grid_at(const Json& json, const std::string& place) {
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
        next.settings.push_back(setting_of(key, value));
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

/// The contenders of one entry of `runs`.
std::vector<Contender> contenders_at(const Json& run, const Json& all, const fs::path& folder,
                                     const std::string& place) {
  expect_keys(run, {"name", "config", "set", "grid", "scale"}, place);
  const auto config = text_at(run, "config", "", place);
  require<UserError>(!config.empty(), place, ".config: missing; name a config file");
  const auto file = fs::exists(folder / config) ? folder / config : fs::path(config);
  const auto name = text_at(run, "name", file.stem().string(), place);
  std::vector<Contender> contenders;
  for (const auto& common : grid_at(all, "grid of all")) {
    for (const auto& point : grid_at(run, place)) {
      auto settings = settings_at(all, "set of all");
      for (const auto& more : {common.settings, settings_at(run, place), point.settings}) {
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

void expect_same_data(const Comparison& comparison) {
  const auto& first = comparison.contenders.front();
  for (const auto& other : comparison.contenders) {
    require<UserError>(first.config.general.task == other.config.general.task,
                       comparison.file.string(), ": ", first.name, " learns ",
                       name_of(first.config.general.task), " and ", other.name, " learns ",
                       name_of(other.config.general.task), "; compare models of one task");
    const auto difference = data_difference(first.config, other.config);
    require<UserError>(difference.empty(), comparison.file.string(), ": ", first.name, " and ",
                       other.name, " are judged on different data: ", difference,
                       "; set it for all in `set`");
  }
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

Comparison read_comparison(const fs::path& file) {
  const auto json = read_json_file(file);
  const auto place = file.string();
  expect_keys(json, {"title", "split", "seeds", "budget", "set", "grid", "runs"}, place);
  Comparison comparison;
  comparison.file = file;
  comparison.title = text_at(json, "title", file.stem().string(), place);
  comparison.split = text_at(json, "split", "val", place);
  comparison.seeds = seeds_at(json, place);
  comparison.budget = read_options<Budget>(json.value("budget", Json::object()), "budget");
  const auto runs = json.value("runs", Json::array());
  require<UserError>(runs.is_array() && !runs.empty(), place,
                     ".runs: expected a list of {\"config\": FILE, ...}");
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto contenders =
        contenders_at(runs[i], json, file.parent_path(), text_of(place, ".runs[", i, "]"));
    std::move(contenders.begin(), contenders.end(), std::back_inserter(comparison.contenders));
  }
  std::vector<std::string> names;
  for (const auto& contender : comparison.contenders) names.push_back(contender.name);
  expect_different(names, place + ".runs", "name", "give one of them another `name`");
  expect_same_data(comparison);
  return comparison;
}

}  // namespace zoo
