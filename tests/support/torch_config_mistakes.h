#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "training/config.h"

namespace zoo {

/// A config of the project that somebody got wrong in one place.
struct ConfigMistake {
  std::string kind;
  std::string place;   ///< the dotted key that the message must name
  std::string remedy;  ///< what the message must hold beside it: "" or the right name
  nlohmann::json document;
};

/// A config of the project whose data are not there.
struct ShippedConfig {
  std::string file;
  nlohmann::json document;
  std::vector<Section> sections;  ///< those that a config of its kind has
};

/// Every config below configs/ that is no comparison.
std::vector<ShippedConfig> shipped_configs();

using TakeMistake = std::function<void(const ConfigMistake&)>;

/// Every edit of one letter (left out, doubled, swapped with the next, replaced) of every key that
/// the config has, where it makes no other key that is known.
void misspell_keys(const ShippedConfig& config, const TakeMistake& take);
/// The same of every option that the config could have and has not.
void misspell_options(const ShippedConfig& config, const TakeMistake& take);
/// Every option in every section where it is unknown.
void misplace_options(const ShippedConfig& config, const TakeMistake& take);
/// Every option and section with values of other types.
void mistype_values(const ShippedConfig& config, const TakeMistake& take);
/// Every option with a range or choices with values outside.
void leave_ranges(const ShippedConfig& config, const TakeMistake& take);
/// Values that are right by themselves and wrong together.
void combine_wrongly(const ShippedConfig& config, const TakeMistake& take);

}  // namespace zoo
