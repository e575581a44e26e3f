#include "training/config_keys.h"

#include <algorithm>

#include "core/errors.h"
#include "core/format.h"
#include "core/names.h"
#include "core/plain_text.h"
#include "models/model.h"

namespace zoo {
namespace {

/// The most that an integer may be, but a seed: the product of any two is a number too.
constexpr std::int64_t kLargestInteger = 1'000'000'000;

std::vector<std::string> names_of_options(const std::vector<OptionInfo>& options) {
  std::vector<std::string> names;
  for (const auto& option : options) names.push_back(option.name);
  return names;
}

/// What the rows are that these sections describe.
const char* about(const std::vector<Section>& sections) {
  const bool images = std::any_of(sections.begin(), sections.end(), [](const Section& section) {
    return section.name == kAugmentation;
  });
  return images ? "images" : "text";
}

bool has_option(const Section& section, const std::string& key) {
  return std::any_of(section.options.begin(), section.options.end(),
                     [&](const OptionInfo& option) { return option.name == key; });
}

/// Whether the key may stand at the top: an option there, a section, or what a run adds.
bool is_known_at_top(const std::string& key, const std::vector<Section>& sections) {
  return key == kMadeWith || has_option(sections.front(), key) ||
         std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
           return !section.name.empty() && section.name == key;
         });
}

/// "; it belongs in optimizer or schedule" of the sections that have the key, or "".
std::string home_of(const std::string& key, const std::vector<Section>& sections) {
  std::vector<std::string> homes;
  for (const auto& section : sections) {
    if (has_option(section, key)) homes.push_back(section.name);
  }
  if (homes.empty()) return "";
  if (homes.front().empty()) return "; it belongs at the top";
  const auto last = homes.back();
  homes.pop_back();
  return "; it belongs in " + join(homes, ", ") + (homes.empty() ? "" : " or ") + last;
}

/// "; it belongs in training" or "; did you mean optimizer.learning_rate?" or the known keys.
std::string where_key_belongs(const std::string& key, const std::string& section,
                              const std::vector<Section>& sections,
                              const std::vector<Section>& of_other_kind) {
  if (const auto home = home_of(key, sections); !home.empty()) return home;
  if (!home_of(key, of_other_kind).empty() ||
      (section.empty() && is_known_at_top(key, of_other_kind))) {
    return text_of("; it is for a task about ", about(of_other_kind));
  }
  std::vector<std::string> here;
  std::vector<std::string> anywhere;
  for (const auto& other : sections) {
    for (const auto& name : names_of_options(other.options)) {
      (other.name == section ? here : anywhere).push_back(name);
    }
    if (section.empty() && !other.name.empty()) here.push_back(other.name);
  }
  if (const auto near = did_you_mean(key, here); !near.empty()) return near;
  const auto nearest = nearest_name(key, anywhere);
  for (const auto& other : sections) {
    if (!nearest.empty() && has_option(other, nearest)) {
      return "; did you mean " + dotted(other.name, nearest) + "?";
    }
  }
  return here.empty() ? "; the section has no options" : "; known options: " + join(here, ", ");
}

}  // namespace

std::string dotted(const std::string& section, const std::string& key) {
  return section.empty() ? key : section + "." + key;
}

SectionsByKind sections_for(const nlohmann::json& document) {
  const auto given = document.value("architecture", nlohmann::json());
  auto name = architectures().front().name;
  for (const auto& architecture : architectures()) {
    if (given == architecture.name) name = architecture.name;
  }
  return {config_sections(name, /*images=*/false), config_sections(name, /*images=*/true)};
}

void check_top(const nlohmann::json& document, const SectionsByKind& sections) {
  const bool images =
      document.value("task", nlohmann::json()) == name_of(TaskType::kImageClassification);
  const auto& here = images ? sections.images : sections.text;
  const auto& other = images ? sections.text : sections.images;
  for (const auto& item : document.items()) {
    const auto& key = item.key();
    if (is_known_at_top(key, here) || is_known_at_top(key, other)) continue;
    throw ConfigError(key + ": unknown option" + where_key_belongs(key, "", here, other));
  }
}

void check_keys(const nlohmann::json& document, const std::vector<Section>& sections,
                const std::vector<Section>& of_other_kind) {
  for (const auto& entry : document.items()) {
    const auto& key = entry.key();
    const auto& value = entry.value();
    if (key == kMadeWith || has_option(sections.front(), key)) continue;
    const auto section = std::find_if(sections.begin(), sections.end(),
                                      [&](const Section& one) { return one.name == key; });
    if (section == sections.end()) {
      throw ConfigError(key + ": unknown option" +
                        where_key_belongs(key, "", sections, of_other_kind));
    }
    require<ConfigError>(value.is_object(), key, ": expected an object, got ", shown_json(value));
    for (const auto& item : value.items()) {
      if (has_option(*section, item.key())) continue;
      throw ConfigError(dotted(key, item.key()) + ": unknown option" +
                        where_key_belongs(item.key(), key, sections, of_other_kind));
    }
  }
}

void check_integers(const nlohmann::json& document) {
  const auto options = document.flatten();
  for (const auto& option : options.items()) {
    const auto& value = option.value();
    auto name = option.key();
    if (!value.is_number_integer() || name.ends_with("seed")) continue;
    std::replace(name.begin(), name.end(), '/', '.');
    name.erase(0, 1);
    if (name.starts_with(kMadeWith)) continue;
    const bool holds = value.is_number_unsigned() ? value.get<std::uint64_t>() <= kLargestInteger
                                                  : value.get<std::int64_t>() >= -kLargestInteger;
    require<ConfigError>(holds, name, ": ", value.dump(), " is beyond ",
                         with_commas(kLargestInteger), ", the most of all but seeds");
  }
}

}  // namespace zoo
