#include "text/tokenizers/tokenizer_roles.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "text/tokenizers/added_tokens.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

Json mark(const std::string& token, int type) {
  return {{"SpecialToken", {{"id", token}, {"type_id", type}}}};
}

Json text(const char* id, int type) { return {{"Sequence", {{"id", id}, {"type_id", type}}}}; }

Json single_template(const TokenRoles& roles) {
  return Json::array({mark(roles.boundary, 0), text("A", 0), mark(roles.boundary, 0)});
}

Json pair_template(const TokenRoles& roles) {
  const auto& between = roles.separator.empty() ? roles.boundary : roles.separator;
  // A boundary that is the separator too belongs to the second text; one that only ends a line, to
  // the first.
  const int side = roles.separator == roles.boundary ? 1 : 0;
  return Json::array({mark(roles.boundary, 0), text("A", 0), mark(between, side), text("B", 1),
                      mark(roles.boundary, 1)});
}

std::string mark_at(const Json& parts, std::size_t index) {
  const Json::json_pointer place("/" + std::to_string(index) + "/SpecialToken/id");
  const auto id = parts.contains(place) ? parts.at(place) : Json();
  return id.is_string() ? id.get<std::string>() : std::string();
}

/// The first of the names that a special token has, or nothing.
std::string special_among(const std::vector<AddedToken>& added,
                          const std::array<const char*, 2>& names) {
  for (const auto* name : names) {
    const auto is_it = [&](const AddedToken& token) {
      return token.special && token.content == name;
    };
    if (std::any_of(added.begin(), added.end(), is_it)) return name;
  }
  return {};
}

}  // namespace

Json role_template(const TokenRoles& roles, const RoleIds& ids) {
  if (roles.boundary.empty()) return nullptr;
  auto specials = Json::object();
  const auto add = [&](const std::string& token, std::int64_t id) {
    specials[token] = {{"id", token}, {"ids", {id}}, {"tokens", {token}}};
  };
  add(roles.boundary, ids.boundary);
  if (!roles.separator.empty()) add(roles.separator, ids.separator);
  return {{"type", "TemplateProcessing"},
          {"single", single_template(roles)},
          {"pair", pair_template(roles)},
          {"special_tokens", std::move(specials)}};
}

TokenRoles roles_of_template(const Json& post_processor) {
  if (!post_processor.is_object()) return {};
  if (post_processor.value("type", Json()) != "TemplateProcessing") return {};
  const auto single = post_processor.value("single", Json());
  const auto pair = post_processor.value("pair", Json());
  TokenRoles roles;
  roles.boundary = mark_at(single, 0);
  roles.separator = mark_at(pair, 2);
  if (roles.boundary.empty() || single != single_template(roles)) return {};
  if (pair == pair_template(roles)) return roles;
  roles.separator.clear();
  return pair == pair_template(roles) ? roles : TokenRoles{};
}

TokenRoles roles_of_frame(const Json& frame, const std::string& source) {
  const JsonNode root(frame, source, /*root=*/true);
  const auto added = added_tokens_from_json(root.find("added_tokens"));
  auto roles = roles_of_template(root.find("post_processor").value());
  roles.mask = special_among(added, kMaskTokens);
  roles.padding = special_among(added, kPaddingTokens);
  return roles;
}

std::vector<std::string> tokens_of(const TokenRoles& roles) {
  std::vector<std::string> tokens;
  for (const auto& token : {roles.boundary, roles.separator, roles.mask, roles.padding}) {
    if (!token.empty()) tokens.push_back(token);
  }
  return tokens;
}

RoleIds learned_ids(const TokenRoles& roles) {
  std::int64_t next = 0;
  const auto id = [&](const std::string& token) { return token.empty() ? -1 : next++; };
  return {id(roles.boundary), id(roles.separator), id(roles.mask), id(roles.padding)};
}

std::string role_complaint(std::string_view text, const TokenRoles& roles) {
  const auto stands = [&](const std::string& token) {
    return !token.empty() && text.find(token) != std::string_view::npos;
  };
  const auto chosen = [](const char* role, const std::string& token) {
    return text_of("contains the ", role, " ", in_quotes(token), "; set tokenizer.", role,
                   " to a token that no line has");
  };
  const auto fixed = [](const char* role, const std::string& token) {
    return text_of("contains the ", role, " ", in_quotes(token),
                   ", which only the task may put there; remove it from the text");
  };
  if (stands(roles.boundary)) return chosen("boundary", roles.boundary);
  if (stands(roles.separator)) return chosen("separator", roles.separator);
  if (stands(roles.mask)) return fixed("mask", roles.mask);
  if (stands(roles.padding)) return fixed("padding", roles.padding);
  return {};
}

Json tokenizer_frame(const std::vector<std::string>& specials, const TokenRoles& roles) {
  auto added = Json::array();
  for (const auto& token : specials) {
    added.push_back(special_token_json(token, static_cast<std::int64_t>(added.size())));
  }
  return {{"version", "1.0"},
          {"truncation", nullptr},
          {"padding", nullptr},
          {"added_tokens", std::move(added)},
          {"normalizer", nullptr},
          {"pre_tokenizer", nullptr},
          {"post_processor", role_template(roles, learned_ids(roles))},
          {"decoder", {{"type", "Fuse"}}}};
}

}  // namespace zoo
