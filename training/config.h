#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/options.h"
#include "text/data_options.h"
#include "text/tokenizers/tokenizer.h"
#include "training/optimizer.h"
#include "training/schedule.h"
#include "training/task.h"
#include "training/trainer.h"
#include "vision/augmentation.h"
#include "vision/image_options.h"

namespace zoo {

/// The options at the top of a config.
struct GeneralOptions {
  std::string architecture;
  TaskType task = TaskType::kLanguageModel;
  std::string device = "auto";
  std::int64_t seed = 1;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("architecture", self.architecture, "Which model is trained; `zoo list` names them.");
    visit("task", self.task, "What the model learns.");
    visit("device", self.device, "auto, cpu, cuda or cuda:N; auto takes a GPU where there is one.");
    visit("seed", self.seed, "Seed of the initial weights, the order of the data and dropout.",
          at_least(0));
  }
  void validate(const std::string& path) const;
};

/// A config as it was written: what the file says and what the command line sets over it.
struct RawConfig {
  nlohmann::json document;
  std::filesystem::path file;
  /// Dotted keys that the command line set.
  std::vector<std::string> from_command_line;
};

/// One experiment, every value checked and every default filled in.
struct Config {
  GeneralOptions general;
  nlohmann::json model;  ///< the architecture's own options, resolved
  TokenizerOptions tokenizer;
  std::optional<TokenizerOptions> source_tokenizer;  ///< unset: sources have no own vocabulary
  DataOptions data;                                  ///< of text
  ImageOptions images;                               ///< of images, in the file's section data
  AugmentationOptions augmentation;                  ///< of images
  OptimizerOptions optimizer;
  ScheduleOptions schedule;
  TrainingOptions training;

  bool reads_images() const { return zoo::reads_images(general.task); }
  /// Every option of the data that names a file or folder, with its name.
  std::vector<std::pair<const char*, std::string*>> data_paths();
  /// A short name of the data, for folders.
  std::string data_name() const;

  nlohmann::json to_json() const;
  /// Names what weights fit: a hash of architecture, task and model section.
  std::string identity() const;
};

/// Reads a config file and lays `settings` ("section.key=value"; null removes the key) over it.
/// Throws UserError: no such file, not JSON (line and column), a setting that is not KEY=VALUE.
RawConfig read_config(const std::filesystem::path& file, const std::vector<std::string>& settings);

/// Lays further settings over a config.
void apply_settings(RawConfig& config, const std::vector<std::string>& settings);

/// Checks everything. Throws ConfigError: where (file or --set), the key, what was got, the rule.
Config resolve_config(const RawConfig& raw);

/// The options of one section, and the sections of a config whose task is about text, or about
/// images, in their order; "" is the top.
struct Section {
  std::string name;
  std::string help;
  std::vector<OptionInfo> options;
};
std::vector<Section> config_sections(const std::string& architecture, bool images);

/// Where the value of a key came from: "default", "file" or "--set".
std::string origin_of(const RawConfig& raw, const std::string& section, const std::string& key);

/// JSON Schema (draft 2020-12) of every config, with one model section per architecture.
nlohmann::json config_schema();

}  // namespace zoo
