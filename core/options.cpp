#include "core/options.h"

#include <cmath>

namespace zoo {
namespace {

/// 1 rather than 1.0 where the bound is whole, as a reader would write it.
nlohmann::json bound_json(double value) {
  const auto whole = static_cast<std::int64_t>(value);
  return static_cast<double>(whole) == value ? nlohmann::json(whole) : nlohmann::json(value);
}

}  // namespace

bool Range::holds(double value) const {
  if (std::isnan(value)) return false;
  return (!minimum || value >= *minimum) && (!maximum || value <= *maximum) &&
         (!exclusive_minimum || value > *exclusive_minimum) &&
         (!exclusive_maximum || value < *exclusive_maximum);
}

std::string Range::text() const {
  const auto low = minimum ? minimum : exclusive_minimum;
  const auto high = maximum ? maximum : exclusive_maximum;
  const auto shown = [](double value) { return bound_json(value).dump(); };
  if (low && high) {
    return text_of(minimum ? "[" : "(", shown(*low), ", ", shown(*high), maximum ? "]" : ")");
  }
  if (low) return (minimum ? ">= " : "> ") + shown(*low);
  if (high) return (maximum ? "<= " : "< ") + shown(*high);
  return "";
}

namespace detail {

std::string unknown_option(const std::string& path, const std::string& key,
                           const std::vector<std::string>& known) {
  return text_of(path.empty() ? "" : path + ".", key, ": unknown option", did_you_mean(key, known),
                 nearest_name(key, known).empty() ? "; known options: " + join(known, ", ") : "");
}

}  // namespace detail

nlohmann::json schema_of(const std::vector<OptionInfo>& options) {
  auto properties = nlohmann::json::object();
  for (const auto& option : options) {
    nlohmann::json property = {{"type", option.type}, {"description", option.help}};
    if (!option.choices.empty()) property["enum"] = option.choices;
    if (!option.default_value.is_null()) property["default"] = option.default_value;
    auto& bounded = option.item_type.empty() ? property : property["items"];
    if (!option.item_type.empty()) bounded = {{"type", option.item_type}};
    const auto& range = option.range;
    if (range.minimum) bounded["minimum"] = bound_json(*range.minimum);
    if (range.maximum) bounded["maximum"] = bound_json(*range.maximum);
    if (range.exclusive_minimum) bounded["exclusiveMinimum"] = bound_json(*range.exclusive_minimum);
    if (range.exclusive_maximum) bounded["exclusiveMaximum"] = bound_json(*range.exclusive_maximum);
    properties[option.name] = std::move(property);
  }
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", properties}};
}

}  // namespace zoo
