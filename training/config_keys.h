#pragma once

// What is checked of a config's document before its sections are read.

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "training/config.h"

namespace zoo {

/// Written into a run's config, ignored when read.
inline constexpr const char* kMadeWith = "made_with";
/// The section that only configs of images have.
inline constexpr const char* kAugmentation = "augmentation";

/// "section.key", or the key alone at the top.
std::string dotted(const std::string& section, const std::string& key);

/// The sections of both kinds of configs, of the architecture that the document names, or of any
/// where it names none.
struct SectionsByKind {
  std::vector<Section> text, images;
};

SectionsByKind sections_for(const nlohmann::json& document);

/// Throws ConfigError for the first key at the top that no config has, of text or of images: a slip
/// in "architecture" or "task" is to blame for what else seems wrong.
void check_top(const nlohmann::json& document, const SectionsByKind& sections);

/// Throws ConfigError for the first key that no section knows.
void check_keys(const nlohmann::json& document, const std::vector<Section>& sections,
                const std::vector<Section>& of_other_kind);

/// Throws ConfigError for the first integer of an option that no machine could follow.
void check_integers(const nlohmann::json& document);

}  // namespace zoo
