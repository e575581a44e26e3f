#include "training/config.h"

#include <algorithm>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/names.h"
#include "core/plain_text.h"
#include "core/sha256.h"
#include "models/model.h"
#include "training/config_keys.h"

namespace zoo {
namespace {

constexpr std::size_t kLongestMessage = 1'200;

nlohmann::json section_of(const nlohmann::json& document, const std::string& name) {
  return document.value(name, nlohmann::json::object());
}

void apply_setting(RawConfig& config, const std::string& setting) {
  require<UserError>(is_plain_text(setting), "--set ", shown_text(setting),
                     ": not UTF-8, or has control characters; write those as JSON does, such as "
                     "KEY=\"\\n\"");
  const auto equals = setting.find('=');
  require<UserError>(equals != std::string::npos && equals > 0, "--set ", setting,
                     ": expected KEY=VALUE, such as training.max_steps=2000");
  const auto key = setting.substr(0, equals);
  const auto text = setting.substr(equals + 1);
  auto value = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (value.is_discarded()) value = text;

  auto* object = &config.document;
  std::size_t begin = 0;
  for (auto dot = key.find('.'); dot != std::string::npos; dot = key.find('.', begin)) {
    object = &(*object)[key.substr(begin, dot - begin)];
    require<UserError>(object->is_object() || object->is_null(), "--set ", setting, ": ",
                       key.substr(0, dot), " is not a section");
    begin = dot + 1;
  }
  const auto last = key.substr(begin);
  if (value.is_null()) {
    if (object->is_object()) object->erase(last);
  } else {
    (*object)[last] = std::move(value);
  }
  config.from_command_line.push_back(key);
}

/// Throws unless the architecture learns the task.
void check_learns(const Architecture& architecture, TaskType type) {
  const auto task = name_of(type);
  const auto& tasks = architecture.tasks;
  require<ConfigError>(std::find(tasks.begin(), tasks.end(), task) != tasks.end(), "task: ", task,
                       " is not what ", architecture.name, " learns; it learns ", join(tasks, ", "),
                       "; ", task, " is learned by ", join(architectures_for(task), ", "));
}

/// Throws unless the data is of a kind to learn the task from.
void check_data(const Config& config, const Architecture& architecture) {
  const auto type = config.general.task;
  const auto format = config.data.format;
  require<ConfigError>(type != TaskType::kSequenceToSequence || has_pairs(format),
                       "task: sequence_to_sequence needs a source and a target; set data.format to "
                       "pairs or labelled, it is ",
                       name_of(format));
  require<ConfigError>(type != TaskType::kTextClassification || format == TextFormat::kLabelled,
                       "task: text_classification needs a label and a text; set data.format to "
                       "labelled, it is ",
                       name_of(format));
  require<ConfigError>(!config.source_tokenizer || architecture.reads_source,
                       "source_tokenizer: ", architecture.name,
                       " reads sources and targets as one text, with one vocabulary; leave it out");
}

void read_text_sections(const nlohmann::json& document, Config& config) {
  config.tokenizer = read_options<TokenizerOptions>(section_of(document, "tokenizer"), "tokenizer");
  if (document.contains("source_tokenizer")) {
    config.source_tokenizer = read_options<TokenizerOptions>(
        section_of(document, "source_tokenizer"), "source_tokenizer");
  }
  config.data = read_options<DataOptions>(section_of(document, "data"), "data");
}

Config resolve_unmarked(const RawConfig& raw) {
  const auto& document = raw.document;
  require<ConfigError>(document.is_object(), "expected an object with sections");
  const auto sections = sections_for(document);
  check_top(document, sections);
  require<ConfigError>(document.contains("architecture"),
                       "architecture: missing; `zoo list` names the architectures");
  const auto name = document.at("architecture");
  require<ConfigError>(name.is_string(), "architecture: expected a name, got ", shown_json(name));
  const auto& architecture = find_architecture(name.get<std::string>());
  auto top = nlohmann::json::object();
  for (const auto& option : sections.text.front().options) {
    if (document.contains(option.name)) top[option.name] = document.at(option.name);
  }
  Config config;
  config.general = read_options<GeneralOptions>(top, "");
  check_learns(architecture, config.general.task);
  const bool images = config.reads_images();
  check_keys(document, images ? sections.images : sections.text,
             images ? sections.text : sections.images);
  check_integers(document);
  config.model = architecture.resolve(section_of(document, "model"));
  if (images) {
    config.images = read_options<ImageOptions>(section_of(document, "data"), "data");
    config.augmentation =
        read_options<AugmentationOptions>(section_of(document, kAugmentation), kAugmentation);
  } else {
    read_text_sections(document, config);
    check_data(config, architecture);
  }
  config.optimizer = read_options<OptimizerOptions>(section_of(document, "optimizer"), "optimizer");
  config.schedule = read_options<ScheduleOptions>(section_of(document, "schedule"), "schedule");
  config.training = read_options<TrainingOptions>(section_of(document, "training"), "training");
  return config;
}

}  // namespace

void GeneralOptions::validate(const std::string& /*path*/) const {
  const bool cuda_number = device.starts_with("cuda:") && device.size() > 5 &&
                           device.find_first_not_of("0123456789", 5) == std::string::npos &&
                           device.size() <= 8;
  require<ConfigError>(device == "auto" || device == "cpu" || device == "cuda" || cuda_number,
                       "device: got \"", device, "\"; choose auto, cpu, cuda or cuda:N",
                       did_you_mean(device, {"auto", "cpu", "cuda"}));
}

nlohmann::json Config::to_json() const {
  auto json = write_options(general);
  json["model"] = model;
  if (reads_images()) {
    json["data"] = write_options(images);
    json[kAugmentation] = write_options(augmentation);
  } else {
    json["tokenizer"] = write_options(tokenizer);
    if (source_tokenizer) json["source_tokenizer"] = write_options(*source_tokenizer);
    json["data"] = write_options(data);
  }
  json["optimizer"] = write_options(optimizer);
  json["schedule"] = write_options(schedule);
  json["training"] = write_options(training);
  return json;
}

std::vector<std::pair<const char*, std::string*>> Config::data_paths() {
  return reads_images() ? images.paths() : data.paths();
}

std::string Config::data_name() const { return reads_images() ? images.name() : data.name(); }

std::string Config::identity() const {
  const nlohmann::json parts = {
      {"architecture", general.architecture}, {"task", name_of(general.task)}, {"model", model}};
  return sha256(parts.dump());
}

RawConfig read_config(const std::filesystem::path& file, const std::vector<std::string>& settings) {
  RawConfig config;
  config.file = file;
  config.document = read_json_file(file);
  apply_settings(config, settings);
  return config;
}

void apply_settings(RawConfig& config, const std::vector<std::string>& settings) {
  require<ConfigError>(config.document.is_object(), config.file.string(),
                       ": expected an object with sections");
  for (const auto& setting : settings) apply_setting(config, setting);
}

Config resolve_config(const RawConfig& raw) {
  try {
    return resolve_unmarked(raw);
  } catch (const ConfigError& error) {
    const std::string message = error.what();
    const auto key = message.substr(0, message.find(':'));
    const auto& set = raw.from_command_line;
    const bool from_set = std::any_of(set.begin(), set.end(), [&](const std::string& one) {
      return one == key || one.starts_with(key + ".");
    });
    // It quotes what the file says, whatever that is.
    throw ConfigError((from_set ? "--set" : raw.file.string()) + ": " +
                      shown_text(message, kLongestMessage));
  }
}

std::vector<Section> config_sections(const std::string& architecture, bool images) {
  std::vector<Section> sections = {
      {"", "At the top", describe_options<GeneralOptions>()},
      {"model", "The architecture's own options", find_architecture(architecture).describe()}};
  if (images) {
    sections.insert(sections.end(),
                    {{"data", "What images are learned from, and how they are split",
                      describe_options<ImageOptions>()},
                     {kAugmentation, "How training images are changed",
                      describe_options<AugmentationOptions>()}});
  } else {
    sections.insert(sections.end(),
                    {{"tokenizer", "How text becomes tokens", describe_options<TokenizerOptions>()},
                     {"source_tokenizer",
                      "How sources become tokens, where they have a vocabulary of their own",
                      describe_options<TokenizerOptions>()},
                     {"data", "What text is learned from, and how it is split",
                      describe_options<DataOptions>()}});
  }
  sections.insert(
      sections.end(),
      {{"optimizer", "How a gradient becomes a step", describe_options<OptimizerOptions>()},
       {"schedule", "The learning rate over time", describe_options<ScheduleOptions>()},
       {"training", "How long, how often, how much at once", describe_options<TrainingOptions>()}});
  return sections;
}

std::string origin_of(const RawConfig& raw, const std::string& section, const std::string& key) {
  const auto& set = raw.from_command_line;
  if (std::find(set.begin(), set.end(), dotted(section, key)) != set.end()) return "--set";
  const auto& object = section.empty() ? raw.document : section_of(raw.document, section);
  return object.contains(key) ? "file" : "default";
}

nlohmann::json config_schema() {
  auto names = nlohmann::json::array();
  auto choices = nlohmann::json::array();
  for (const auto& architecture : architectures()) {
    names.push_back(architecture.name);
    choices.push_back(
        {{"if", {{"properties", {{"architecture", {{"const", architecture.name}}}}}}},
         {"then", {{"properties", {{"model", schema_of(architecture.describe())}}}}}});
  }
  const auto first = architectures().front().name;
  const auto text = config_sections(first, /*images=*/false);
  const auto images = config_sections(first, /*images=*/true);
  auto schema = schema_of(text.front().options);
  schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  schema["title"] = "zoo experiment";
  schema["required"] = {"architecture"};
  schema["properties"]["architecture"]["enum"] = names;
  schema["properties"]["architecture"].erase("default");
  schema["properties"][kMadeWith] = {{"type", "object"}};
  auto of_text = nlohmann::json::object();
  auto of_images = nlohmann::json::object();
  const auto add = [&](const std::vector<Section>& sections, const std::vector<Section>& others,
                       nlohmann::json& of_kind) {
    for (const auto& section : sections) {
      if (section.name.empty()) continue;
      const bool everywhere = std::any_of(others.begin(), others.end(), [&](const Section& other) {
        return other.name == section.name && other.help == section.help;
      });
      auto properties =
          section.name == "model" ? nlohmann::json{{"type", "object"}} : schema_of(section.options);
      properties["description"] = section.help;
      if (!everywhere) schema["properties"][section.name] = {{"type", "object"}};
      (everywhere ? schema["properties"] : of_kind)[section.name] = std::move(properties);
    }
  };
  add(text, images, of_text);
  add(images, text, of_images);
  const nlohmann::json about_images = {
      {"properties", {{"task", {{"const", name_of(TaskType::kImageClassification)}}}}},
      {"required", {"task"}}};
  choices.push_back({{"if", about_images},
                     {"then", {{"properties", of_images}}},
                     {"else", {{"properties", of_text}}}});
  schema["allOf"] = choices;
  return schema;
}

}  // namespace zoo
