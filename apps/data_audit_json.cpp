#include "apps/data_audit_json.h"

#include <nlohmann/json.hpp>

#include "analysis/audit_findings.h"
#include "core/options.h"
#include "text/utf8.h"

namespace zoo {
namespace {

nlohmann::json json_of(const FoundPlaces& found) {
  return {{"count", found.count}, {"first", found.first}};
}

nlohmann::json json_of(const Lengths& lengths) {
  return {{"shortest", lengths.shortest},
          {"median", lengths.median},
          {"percentile_95", lengths.percentile_95},
          {"longest", lengths.longest},
          {"longest_place", lengths.longest_place}};
}

nlohmann::json json_of(const std::vector<CharacterCount>& characters) {
  auto list = nlohmann::json::array();
  for (const auto& one : characters) {
    std::string character;
    append_utf8(character, one.character);
    nlohmann::json row = {{"character", character},
                          {"code_point", static_cast<std::uint32_t>(one.character)},
                          {"count", one.count}};
    if (!one.first_place.empty()) row["first_place"] = one.first_place;
    list.push_back(std::move(row));
  }
  return list;
}

nlohmann::json json_of(const TextSplitAudit& split, const TextAudit& audit) {
  nlohmann::json json = {
      {"examples", split.examples},          {"tokens", split.tokens},
      {"characters", split.characters},      {"unknown_tokens", split.unknown_tokens},
      {"alphabet", json_of(split.alphabet)}, {"not_in_train", json_of(split.unseen)}};
  auto& lengths = json["lengths"];
  lengths["characters"] = json_of(split.character_lengths);
  if (split.token_lengths) lengths["tokens"] = json_of(*split.token_lengths);
  if (split.target_lengths) lengths["target_characters"] = json_of(*split.target_lengths);
  if (!audit.classes.empty()) json["classes"] = split.class_counts;
  if (audit.format == TextFormat::kText) return json;
  json["repeated"] = json_of(split.repeated);
  if (has_pairs(audit.format)) json["other_target"] = json_of(split.ambiguous);
  if (split.name == "train") return json;
  json["in_train"] = json_of(split.in_train);
  if (split.name == "test") json["in_val"] = json_of(split.in_val);
  if (split.near_train) json["near_train"] = json_of(*split.near_train);
  return json;
}

nlohmann::json json_of(const ImageSplitAudit& split) {
  nlohmann::json json = {{"examples", split.images},
                         {"mean", split.statistics.mean},
                         {"deviation", split.statistics.deviation},
                         {"classes", split.class_counts},
                         {"repeated", json_of(split.repeated)},
                         {"other_class", json_of(split.other_label)},
                         {"one_colour", json_of(split.blank)}};
  if (split.name == "train") return json;
  json["in_train"] = json_of(split.in_train);
  if (split.name == "test") json["in_val"] = json_of(split.in_val);
  return json;
}

/// What both kinds of data have.
template <class Audit>
nlohmann::json shared_json(const Audit& audit) {
  nlohmann::json json = {{"deduplicate", audit.deduplicate},
                         {"classes", audit.classes},
                         {"notes", audit.notes},
                         {"findings", findings(audit)},
                         {"files", nlohmann::json::array()}};
  for (const auto& file : audit.files) {
    json["files"].push_back({{"option", file.option},
                             {"path", file.path},
                             {"sha256", file.sha256},
                             {"bytes", file.bytes}});
  }
  return json;
}

}  // namespace

nlohmann::json audit_json(const TextAudit& audit) {
  auto json = shared_json(audit);
  json["format"] = name_of(audit.format);
  json["vocab_size"] = audit.vocab_size;
  if (audit.source_vocab_size) json["source_vocab_size"] = *audit.source_vocab_size;
  if (!audit.near_skipped.empty()) json["near_duplicates_skipped"] = audit.near_skipped;
  for (const auto& split : audit.splits) json["splits"][split.name] = json_of(split, audit);
  return json;
}

nlohmann::json audit_json(const ImageAudit& audit) {
  auto json = shared_json(audit);
  json["channels"] = audit.size.channels;
  json["height"] = audit.size.height;
  json["width"] = audit.size.width;
  for (const auto& split : audit.splits) json["splits"][split.name] = json_of(split);
  return json;
}

}  // namespace zoo
