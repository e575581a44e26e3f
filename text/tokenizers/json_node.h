#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/errors.h"

namespace zoo {

/// A text as messages show it: quoted, its control characters escaped, cut where it is long.
std::string in_quotes(std::string_view text);

/// A value of somebody else's JSON together with its place, so that every complaint says where.
/// Refers to the value; throws UserError (`t.json: /model/vocab: ...`).
class JsonNode {
 public:
  /// `place` is a file and the path in it ("t.json: /model"), or the file alone for the root.
  JsonNode(const nlohmann::json& value, std::string place, bool root = false)
      : value_(&value), place_(std::move(place)), root_(root) {}

  const nlohmann::json& value() const { return *value_; }
  const std::string& place() const { return place_; }
  bool is_null() const { return value_->is_null(); }

  /// The value of a key, which must be there.
  JsonNode at(const std::string& key) const;
  /// The value of a key; null where it is missing.
  JsonNode find(const std::string& key) const;
  /// The items of an array.
  std::vector<JsonNode> items() const;

  bool boolean() const;
  std::string text() const;
  /// An integer from `least` to `most`.
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  /// The name under "type".
  std::string type() const;

  template <class... Parts>
  [[noreturn]] void fail(const Parts&... parts) const {
    throw UserError(text_of(place_, ": ", parts...));
  }
  /// "got VALUE; expected WHAT".
  [[noreturn]] void expected(const std::string& what) const;

 private:
  JsonNode child(const nlohmann::json& value, const std::string& key) const;

  const nlohmann::json* value_;
  std::string place_;
  bool root_;
};

}  // namespace zoo
