#include "text/tokenizers/json_node.h"

#include "core/plain_text.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

const Json& null_json() {
  static const Json null;
  return null;
}

}  // namespace

std::string in_quotes(std::string_view text) { return shown_json(Json(std::string(text))); }

JsonNode JsonNode::child(const Json& value, const std::string& key) const {
  return JsonNode(value, place_ + (root_ ? ": /" : "/") + key);
}

JsonNode JsonNode::at(const std::string& key) const {
  if (!value_->is_object()) expected("an object");
  const auto entry = value_->find(key);
  if (entry == value_->end()) fail("has no ", in_quotes(key));
  return child(*entry, key);
}

JsonNode JsonNode::find(const std::string& key) const {
  if (!value_->is_object()) expected("an object");
  const auto entry = value_->find(key);
  return child(entry == value_->end() ? null_json() : *entry, key);
}

std::vector<JsonNode> JsonNode::items() const {
  if (!value_->is_array()) expected("an array");
  std::vector<JsonNode> nodes;
  nodes.reserve(value_->size());
  for (const auto& item : *value_) nodes.push_back(child(item, std::to_string(nodes.size())));
  return nodes;
}

bool JsonNode::boolean() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::string JsonNode::text() const {
  if (!value_->is_string()) expected("a string");
  return value_->get<std::string>();
}

std::int64_t JsonNode::integer(std::int64_t least, std::int64_t most) const {
  // Numbers that only an unsigned integer holds turn negative here.
  const auto number = value_->is_number_integer() ? value_->get<std::int64_t>() : least - 1;
  if (number < least || number > most) {
    expected(text_of("an integer from ", least, " to ", most));
  }
  return number;
}

std::string JsonNode::type() const { return at("type").text(); }

void JsonNode::expected(const std::string& what) const {
  fail("got ", shown_json(*value_), "; expected ", what);
}

}  // namespace zoo
