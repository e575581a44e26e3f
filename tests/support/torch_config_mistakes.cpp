#include "tests/support/torch_config_mistakes.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/json_file.h"
#include "core/names.h"
#include "models/model.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr const char* kNoFile = "no-such-file";

std::string dotted(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

/// Every edit of one letter, once.
std::set<std::string> slips_of(const std::string& name) {
  std::set<std::string> slips;
  for (std::size_t i = 0; i < name.size(); ++i) {
    auto shorter = name;
    slips.insert(shorter.erase(i, 1));
    auto doubled = name;
    slips.insert(doubled.insert(i, 1, name[i]));
    if (i + 1 < name.size()) {
      auto swapped = name;
      std::swap(swapped[i], swapped[i + 1]);
      slips.insert(swapped);
    }
    auto replaced = name;
    replaced[i] = name[i] == 'z' ? 'y' : static_cast<char>(name[i] + 1);
    slips.insert(replaced);
  }
  slips.erase(name);
  slips.erase("");
  return slips;
}

bool has_option(const Section& section, const std::string& key) {
  return std::any_of(section.options.begin(), section.options.end(),
                     [&](const OptionInfo& option) { return option.name == key; });
}

/// Whether some section, or the top, knows a key of that name.
bool is_known(const std::string& key) {
  static const std::set<std::string> names = [] {
    std::set<std::string> all = {"made_with"};
    for (const auto& architecture : architectures()) {
      for (const bool images : {false, true}) {
        for (const auto& section : config_sections(architecture.name, images)) {
          all.insert(section.name);
          for (const auto& option : section.options) all.insert(option.name);
        }
      }
    }
    return all;
  }();
  return names.contains(key);
}

Json& section_in(Json& document, const std::string& section) {
  return section.empty() ? document : document[section];
}

/// The document with a key of a section renamed.
Json renamed(Json document, const std::string& section, const std::string& from,
             const std::string& to) {
  auto& object = section_in(document, section);
  auto value = object.at(from);
  object.erase(from);
  object[to] = std::move(value);
  return document;
}

Json with(Json document, const std::string& section, const std::string& key, const Json& value) {
  section_in(document, section)[key] = value;
  return document;
}

void misspell(const Json& document, const std::string& section, const std::string& key,
              const TakeMistake& take) {
  for (const auto& slip : slips_of(key)) {
    if (is_known(slip)) continue;
    take({"slip", dotted(section, slip), "did you mean " + key + "?",
          renamed(document, section, key, slip)});
  }
}

/// Some value of an option's own type.
Json some_value(const OptionInfo& option) {
  if (!option.default_value.is_null()) return option.default_value;
  if (!option.choices.empty()) return option.choices.front();
  if (option.type == "boolean") return true;
  if (option.type == "string") return "x";
  if (option.type == "array") return Json::array();
  return 1;
}

/// A value of each type that the option does not take.
std::vector<Json> values_of_other_types(const OptionInfo& option) {
  std::vector<Json> values = {nullptr, Json::object(), Json{{"value", 1}}};
  if (option.type != "boolean") values.insert(values.end(), {true, false});
  if (option.type != "string") values.insert(values.end(), {"", "1", "text\n\x1B[2J"});
  if (option.type != "array") values.insert(values.end(), {Json::array(), Json::array({1})});
  if (option.type != "number" && option.type != "integer") values.insert(values.end(), {1, -1});
  if (option.type != "number") values.insert(values.end(), {1.5, 1e300});
  if (option.type == "integer") values.push_back(~std::uint64_t{0});
  if (option.type == "array") {
    values.insert(values.end(), {Json::array(), Json::array({"a", "b"}), Json::array({1, 2, 3}),
                                 Json::array({nullptr, nullptr})});
  }
  return values;
}

std::vector<Json> values_outside(const OptionInfo& option) {
  std::vector<Json> values;
  const auto& range = option.range;
  const bool whole = option.type == "integer" || option.item_type == "integer";
  const auto add = [&](double value) {
    const auto one = whole ? Json(static_cast<std::int64_t>(value)) : Json(value);
    values.push_back(option.type == "array" ? Json::array({one, one}) : one);
  };
  if (range.minimum) add(*range.minimum - 1);
  if (range.minimum) add(-1e9);
  if (range.exclusive_minimum) add(*range.exclusive_minimum);
  if (range.exclusive_minimum) add(*range.exclusive_minimum - 0.5);
  if (range.maximum) add(*range.maximum + 1);
  if (range.exclusive_maximum) add(*range.exclusive_maximum);
  if (range.maximum || range.exclusive_maximum) add(1e12);
  if (!option.choices.empty()) {
    for (const auto* other : {"", "none of them", "Cosine", "\x1B[2J"}) values.emplace_back(other);
    values.emplace_back(option.choices.front() + "x");
  }
  return values;
}

/// A rule between options: the settings that break it, and the key that is then named.
struct Rule {
  const char* kind;
  Json settings;  ///< section -> options, laid over the config
  const char* place;
};

std::vector<Rule> rules_of_all() {
  return {
      {"both ways to end", {{"training", {{"max_steps", 5}, {"epochs", 2}}}}, "training.epochs"},
      {"unknown architecture", {{"architecture", "transformer"}}, "architecture"},
      {"architecture number", {{"architecture", 3}}, "architecture"},
      {"unknown device", {{"device", "gpu"}}, "device"},
      {"device with a line break", {{"device", "cuda:1\n2"}}, "device"},
      {"cuda without number", {{"device", "cuda:"}}, "device"},
      {"three betas", {{"optimizer", {{"betas", {0.9, 0.9, 0.9}}}}}, "optimizer.betas"},
      {"nothing to train on", {{"data", {{"val_fraction", 0.6}, {"test_fraction", 0.6}}}}, "data."},
  };
}

/// `own_task`: the architecture learns no language model, and so its own task stays.
std::vector<Rule> rules_of_text(bool own_task) {
  const auto data = [&](const Json& options) {
    Json settings = {{"data", {{"path", kNoFile}, {"format", "lines"}}}};
    settings["data"].update(options);
    if (!own_task) settings["task"] = "language_model";
    return settings;
  };
  return {
      {"two origins", data({{"train_path", kNoFile}}), "data.path"},
      {"no origin", data({{"path", ""}}), "data.path"},
      {"val_path beside path", data({{"val_path", kNoFile}}), "data.val_path"},
      {"test_path beside path", data({{"test_path", kNoFile}}), "data.test_path"},
      {"targets of lines", data({{"target_path", kNoFile}}), "data.target_path"},
      {"catalogues of lines", data({{"path", ""}, {"catalogues", "tr"}}), "data.catalogues"},
      {"synthetic lines", data({{"path", ""}, {"synthetic", "copy"}}), "data.synthetic"},
      {"windows of lines", data({{"view", "windows"}}), "data.view"},
      {"lines of running text", data({{"format", "text"}, {"view", "lines"}}), "data.view"},
      {"token file of lines", data({{"token_file", true}}), "data.token_file"},
      {"lengths in the wrong order", data({{"min_length", 9}}), "data.min_length"},
      {"one column for both",
       data({{"format", "pairs"}, {"source_column", 2}, {"target_column", 2}}),
       "data.source_column"},
      {"columns of parallel files",
       data({{"format", "pairs"}, {"target_path", kNoFile}, {"header", true}}),
       "data.source_column"},
      {"targets without sources", data({{"format", "pairs"}, {"val_target_path", kNoFile}}),
       "data.val_target_path"},
      {"parallel training pairs alone",
       data({{"path", ""},
             {"format", "pairs"},
             {"train_path", kNoFile},
             {"train_target_path", kNoFile},
             {"val_path", kNoFile}}),
       "data.val_target_path"},
      {"separator that is the boundary",
       {{"tokenizer", {{"boundary", "$"}, {"separator", "$"}}}},
       "tokenizer.separator"},
      {"empty boundary", {{"tokenizer", {{"boundary", ""}}}}, "tokenizer.boundary"},
      {"augmented text", {{"augmentation", {{"flip", true}}}}, "augmentation"},
      {"images in text", {{"data", {{"largest_value", 16}}}}, "data.largest_value"},
  };
}

std::vector<Rule> rules_of_images() {
  const auto data = [](Json options) {
    Json merged = {{"path", kNoFile}};
    merged.update(options);
    return Json{{"data", merged}};
  };
  return {
      {"no origin", data({{"path", ""}}), "data.path"},
      {"two origins", data({{"train_path", kNoFile}}), "data.path"},
      {"val_path beside path", data({{"val_path", kNoFile}}), "data.val_path"},
      {"labels of a folder", data({{"labels_path", kNoFile}}), "data.labels_path"},
      {"labels without images", data({{"format", "idx"}, {"val_labels_path", kNoFile}}),
       "data.val_labels_path"},
      {"label column of idx", data({{"format", "idx"}, {"label_column", 1}}), "data.label_column"},
      {"header of idx", data({{"format", "idx"}, {"header", true}}), "data.header"},
      {"largest value of a folder", data({{"largest_value", 16}}), "data.largest_value"},
      {"broken images of csv", data({{"format", "csv"}, {"broken_images", "skip"}}),
       "data.broken_images"},
      {"height of idx", data({{"format", "idx"}, {"height", 8}, {"width", 8}}), "data.height"},
      {"height without width", data({{"height", 8}}), "data.width"},
      {"width without height", data({{"width", 8}}), "data.height"},
      {"two channels", data({{"channels", 2}}), "data.channels"},
      {"a test share of given splits",
       data({{"path", ""}, {"train_path", kNoFile}, {"test_fraction", 0.1}}), "data.test_fraction"},
      {"tokens of images", {{"tokenizer", {{"vocab_size", 100}}}}, "tokenizer"},
      {"a seed of text", {{"data", {{"long_lines", "cut"}}}}, "data.long_lines"},
  };
}

/// What the architecture's own options and tasks forbid.
std::vector<Rule> rules_of_architecture(const ShippedConfig& config) {
  std::vector<Rule> rules;
  const auto& architecture = find_architecture(config.document.at("architecture"));
  const auto& model = config.sections.at(1);
  if (has_option(model, "n_heads")) {
    rules.push_back({"heads", {{"model", {{"d_model", 64}, {"n_heads", 3}}}}, "model.n_heads"});
    rules.push_back({"heads", {{"model", {{"d_model", 7}, {"n_heads", 8}}}}, "model.n_heads"});
    const bool grid = config.document.value("task", "") == "image_classification";
    rules.push_back(
        {"positions",
         {{"model",
           {{"d_model", 6}, {"n_heads", 2}, {"positions", grid ? "sinusoidal" : "rotary"}}}},
         "model.positions"});
  }
  for (const auto& [name, task] : names_of(TaskType{})) {
    const auto& learned = architecture.tasks;
    if (std::find(learned.begin(), learned.end(), name) == learned.end()) {
      rules.push_back({"a task that it does not learn", {{"task", name}}, "task"});
      continue;
    }
    const Json lines = {{"path", kNoFile}, {"format", "lines"}};
    if (task == TaskType::kSequenceToSequence || task == TaskType::kTextClassification) {
      rules.push_back(
          {"a task that lines do not teach", {{"task", name}, {"data", lines}}, "task"});
    }
    if (task == TaskType::kTextClassification) {
      const Json pairs = {{"path", kNoFile}, {"format", "pairs"}};
      rules.push_back({"classes of pairs", {{"task", name}, {"data", pairs}}, "task"});
    }
  }
  return rules;
}

}  // namespace

std::vector<ShippedConfig> shipped_configs() {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator("configs")) {
    const bool compares = entry.path().parent_path().filename() == "compare";
    if (entry.path().extension() == ".json" && !compares) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<ShippedConfig> configs;
  for (const auto& file : files) {
    ShippedConfig config{file.string(), read_json_file(file), {}};
    auto& data = config.document.at("data");
    for (const auto* path : {"path", "train_path", "val_path", "test_path"}) {
      if (data.contains(path)) data[path] = kNoFile;
    }
    const bool images = config.document.value("task", "") == "image_classification";
    config.sections = config_sections(config.document.at("architecture"), images);
    configs.push_back(std::move(config));
  }
  return configs;
}

void misspell_keys(const ShippedConfig& config, const TakeMistake& take) {
  for (const auto& [key, value] : config.document.items()) {
    misspell(config.document, "", key, take);
    if (!value.is_object()) continue;
    for (const auto& item : value.items()) misspell(config.document, key, item.key(), take);
  }
}

void misspell_options(const ShippedConfig& config, const TakeMistake& take) {
  for (const auto& section : config.sections) {
    for (const auto& option : section.options) {
      auto document = config.document;
      auto& object = section_in(document, section.name);
      if (object.contains(option.name)) continue;
      object[option.name] = some_value(option);
      misspell(document, section.name, option.name, take);
    }
  }
}

void misplace_options(const ShippedConfig& config, const TakeMistake& take) {
  for (const auto& home : config.sections) {
    for (const auto& option : home.options) {
      for (const auto& section : config.sections) {
        if (section.name == home.name || has_option(section, option.name)) continue;
        auto document = config.document;
        const bool needed = option.name == "architecture" || option.name == "task";
        if (!needed && document.contains(home.name)) document[home.name].erase(option.name);
        take({"misplaced", dotted(section.name, option.name) + ": unknown option; it belongs ",
              home.name.empty() ? "at the top" : home.name,
              with(std::move(document), section.name, option.name, some_value(option))});
      }
    }
  }
}

void mistype_values(const ShippedConfig& config, const TakeMistake& take) {
  for (const auto& section : config.sections) {
    if (!section.name.empty()) {
      for (const Json& value : {Json(), Json(1), Json("text"), Json::array(), Json(true)}) {
        take({"section", section.name, "", with(config.document, "", section.name, value)});
      }
    }
    for (const auto& option : section.options) {
      for (const auto& value : values_of_other_types(option)) {
        take({"type", dotted(section.name, option.name), "",
              with(config.document, section.name, option.name, value)});
      }
    }
  }
}

void leave_ranges(const ShippedConfig& config, const TakeMistake& take) {
  for (const auto& section : config.sections) {
    for (const auto& option : section.options) {
      for (const auto& value : values_outside(option)) {
        take({"range", dotted(section.name, option.name), option.range.text(),
              with(config.document, section.name, option.name, value)});
      }
    }
  }
}

void combine_wrongly(const ShippedConfig& config, const TakeMistake& take) {
  const bool images = config.document.value("task", "") == "image_classification";
  const auto& learned = find_architecture(config.document.at("architecture")).tasks;
  const bool own_task =
      std::find(learned.begin(), learned.end(), "language_model") == learned.end();
  auto rules = rules_of_all();
  for (auto& rule : images ? rules_of_images() : rules_of_text(own_task)) rules.push_back(rule);
  for (auto& rule : rules_of_architecture(config)) rules.push_back(rule);
  for (const auto& rule : rules) {
    auto document = config.document;
    const auto data = rule.settings.value("data", Json::object());
    if (data.contains("path")) document.erase("data");  // all of it is replaced
    document.merge_patch(rule.settings);
    take({rule.kind, rule.place, "", std::move(document)});
  }
}

}  // namespace zoo
