#pragma once

// Options structs: public fields with their defaults, and one `fields` list that reading, writing,
// help, the JSON Schema and the docs all visit. A struct looks like this:
//
//   struct SgdOptions {
//     double momentum = 0.9;
//
//     template <class Self, class Visitor>
//     static void fields(Self& self, Visitor&& visit) {
//       visit("momentum", self.momentum, "Share of the last step that is kept.",
//       at_least(0).below(1));
//     }
//     void validate(const std::string& path) const {}  // rules between fields
//   };

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/names.h"

namespace zoo {

/// The names an enum has in JSON. Each enum option provides `names_of(E)` beside its definition.
template <class E>
using EnumNames = std::vector<std::pair<const char*, E>>;

/// The name of one value of an enum that has `names_of`.
template <class E>
std::string name_of(E value) {
  for (const auto& [text, choice] : names_of(value)) {
    if (choice == value) return text;
  }
  throw std::logic_error("an enum value has no name");
}

/// The interval a number must lie in; no bound by default.
struct Range {
  std::optional<double> minimum;            ///< inclusive
  std::optional<double> maximum;            ///< inclusive
  std::optional<double> exclusive_minimum;  ///< the number is greater
  std::optional<double> exclusive_maximum;  ///< the number is less

  Range up_to(double value) const { return with(&Range::maximum, value); }
  Range below(double value) const { return with(&Range::exclusive_maximum, value); }

  bool holds(double value) const;
  /// For messages and docs: "[0, 1)", ">= 1"; "" without bounds.
  std::string text() const;

 private:
  Range with(std::optional<double> Range::*bound, double value) const {
    auto range = *this;
    range.*bound = value;
    return range;
  }
};

inline Range at_least(double value) {
  Range range;
  range.minimum = value;
  return range;
}

inline Range above(double value) {
  Range range;
  range.exclusive_minimum = value;
  return range;
}

/// What the help, the schema and the docs say about one option.
struct OptionInfo {
  std::string name;
  std::string type;                  ///< as in JSON: boolean, integer, number, string, array
  std::string item_type;             ///< of an array's items
  std::vector<std::string> choices;  ///< of an enum
  nlohmann::json default_value;      ///< null where the option is unset by default
  std::string help;
  Range range;
};

namespace detail {

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

template <class T>
struct ItemOf {
  using type = void;
};
template <class T>
struct ItemOf<std::vector<T>> {
  using type = T;
};
template <class T, std::size_t N>
struct ItemOf<std::array<T, N>> {
  using type = T;
};

template <class T>
constexpr const char* json_type() {
  if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_integral_v<T>) {
    return "integer";
  } else if constexpr (std::is_floating_point_v<T>) {
    return "number";
  } else if constexpr (std::is_same_v<T, std::string> || std::is_enum_v<T>) {
    return "string";
  } else {
    return "array";
  }
}

/// Whether a JSON value may become a T. nlohmann would silently turn 2.7 into 2 and true into 1.
template <class T>
bool holds_type(const nlohmann::json& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value.is_boolean();
  } else if constexpr (std::is_integral_v<T>) {
    if (value.is_number_unsigned()) {
      return value.get<std::uint64_t>() <=
             static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    }
    return value.is_number_integer();
  } else if constexpr (std::is_floating_point_v<T>) {
    return value.is_number();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return value.is_string();
  } else {
    if (!value.is_array()) return false;
    if constexpr (requires { std::tuple_size<T>::value; }) {
      if (value.size() != std::tuple_size_v<T>) return false;
    }
    for (const auto& item : value) {
      if (!holds_type<typename ItemOf<T>::type>(item)) return false;
    }
    return true;
  }
}

template <class T>
nlohmann::json to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else if constexpr (IsOptional<T>::value) {
    return value ? to_json(*value) : nlohmann::json();
  } else {
    return value;
  }
}

/// The message for a key that no option has.
std::string unknown_option(const std::string& path, const std::string& key,
                           const std::vector<std::string>& known);

}  // namespace detail

/// Reads one JSON object into an options struct, a field at a time. An absent key keeps the
/// struct's default; an unknown key, a wrong type, an unknown choice and a number out of its range
/// are errors that name the place.
class OptionsReader {
 public:
  /// `path` names the object in messages, e.g. "model" or "training".
  OptionsReader(const nlohmann::json& object, std::string path)
      : object_(object), path_(std::move(path)) {
    require<ConfigError>(object_.is_object(), path_, ": expected an object, got ", object_.dump());
  }

  template <class T>
  void operator()(const char* name, T& value, const char* /*help*/, const Range& range = {}) {
    known_.emplace_back(name);
    const auto entry = object_.find(name);
    if (entry == object_.end()) return;
    if constexpr (detail::IsOptional<T>::value) {
      value.emplace();
      read(name, *value, *entry, range);
    } else {
      read(name, value, *entry, range);
    }
  }

  /// Throws ConfigError for the first key that no field asked for, naming the nearest known one.
  void finish() const {
    for (const auto& item : object_.items()) {
      const bool known = std::find(known_.begin(), known_.end(), item.key()) != known_.end();
      if (!known) throw ConfigError(detail::unknown_option(path_, item.key(), known_));
    }
  }

 private:
  template <class T>
  void read(const char* name, T& value, const nlohmann::json& entry, const Range& range) const {
    const auto where = path_.empty() ? std::string(name) : path_ + "." + name;
    if constexpr (std::is_enum_v<T>) {
      std::vector<std::string> choices;
      for (const auto& [text, choice] : names_of(T{})) {
        choices.emplace_back(text);
        if (entry == text) {
          value = choice;
          return;
        }
      }
      const auto found = entry.is_string() ? entry.get<std::string>() : entry.dump();
      throw ConfigError(text_of(where, ": got ", entry.dump(), "; choose one of ",
                                join(choices, ", "), did_you_mean(found, choices)));
    } else {
      const auto type = detail::json_type<T>();
      require<ConfigError>(detail::holds_type<T>(entry), where, ": got ", entry.dump(),
                           "; expected ", type == std::string("integer") ? "an " : "a ", type,
                           example(value));
      entry.get_to(value);
      check_range(where, value, entry, range);
    }
  }

  template <class T>
  static std::string example(const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      return " such as " + nlohmann::json(value).dump();
    } else {
      const auto text = nlohmann::json(value).dump();
      return text == "\"\"" || text == "[]" ? "" : " such as " + text;
    }
  }

  template <class T>
  static void check_range(const std::string& where, const T& value, const nlohmann::json& entry,
                          const Range& range) {
    if constexpr (std::is_arithmetic_v<T>) {
      require<ConfigError>(range.holds(static_cast<double>(value)), where, ": ", entry.dump(),
                           " is outside ", range.text());
    } else if constexpr (!std::is_same_v<T, std::string>) {
      for (const auto& item : value) check_range(where, item, entry, range);
    }
  }

  const nlohmann::json& object_;
  std::string path_;
  std::vector<std::string> known_;
};

/// Parses and validates: the only way an options struct is made from JSON.
template <class Options>
Options read_options(const nlohmann::json& object, const std::string& path) {
  Options options;
  OptionsReader reader(object, path);
  Options::fields(options, reader);
  reader.finish();
  options.validate(path);
  return options;
}

/// The inverse, defaults filled in; an unset optional is left out.
template <class Options>
nlohmann::json write_options(const Options& options) {
  auto object = nlohmann::json::object();
  Options::fields(options, [&](const char* name, const auto& value, const char* /*help*/,
                               const Range& /*range*/ = {}) {
    auto entry = detail::to_json(value);
    if (!entry.is_null()) object[name] = std::move(entry);
  });
  return object;
}

/// One row per field, in the order of `fields`.
template <class Options>
std::vector<OptionInfo> describe_options() {
  std::vector<OptionInfo> rows;
  const Options defaults;
  Options::fields(defaults, [&](const char* name, const auto& value, const char* help,
                                const Range& range = {}) {
    OptionInfo row;
    row.name = name;
    row.help = help;
    row.range = range;
    row.default_value = detail::to_json(value);
    const auto describe_type = [&row](const auto& example) {
      using T = std::decay_t<decltype(example)>;
      row.type = detail::json_type<T>();
      if constexpr (std::is_enum_v<T>) {
        for (const auto& [text, choice] : names_of(example)) row.choices.emplace_back(text);
      }
      if constexpr (!std::is_void_v<typename detail::ItemOf<T>::type>) {
        row.item_type = detail::json_type<typename detail::ItemOf<T>::type>();
      }
    };
    using Value = std::decay_t<decltype(value)>;
    if constexpr (detail::IsOptional<Value>::value) {
      describe_type(typename Value::value_type{});
    } else {
      describe_type(value);
    }
    rows.push_back(std::move(row));
  });
  return rows;
}

/// The JSON Schema (draft 2020-12) of an object with these options and no others.
nlohmann::json schema_of(const std::vector<OptionInfo>& options);

}  // namespace zoo
