#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// The contents of special added tokens that are the mask and the padding, the first found.
inline constexpr std::array<const char*, 2> kMaskTokens = {kMaskToken, "<mask>"};
inline constexpr std::array<const char*, 2> kPaddingTokens = {kPaddingToken, "<pad>"};

/// The roles' ids; -1: none.
struct RoleIds {
  std::int64_t boundary = -1;
  std::int64_t separator = -1;
  std::int64_t mask = -1;
  std::int64_t padding = -1;
};

/// The `post_processor` of a tokenizer.json that puts the marks of a line around a text and between
/// two, as the training data has them; null without a boundary.
nlohmann::json role_template(const TokenRoles& roles, const RoleIds& ids);

/// Boundary and separator as a `post_processor` has them; none unless role_template made it.
TokenRoles roles_of_template(const nlohmann::json& post_processor);

/// All roles of a tokenizer.json (with or without its model). Throws UserError naming `source` for
/// damaged added tokens.
TokenRoles roles_of_frame(const nlohmann::json& frame, const std::string& source);

/// A tokenizer.json without its model: the special tokens, which have the ids from 0 on, and the
/// template of the roles, which are the first of them.
nlohmann::json tokenizer_frame(const std::vector<std::string>& specials, const TokenRoles& roles);

/// The tokens of the roles that there are, in the order of their ids in a learned vocabulary.
std::vector<std::string> tokens_of(const TokenRoles& roles);

/// Those ids.
RoleIds learned_ids(const TokenRoles& roles);

/// What is wrong with a text in which the token of a role stands, where it would be taken for a
/// mark: "contains the boundary ..." and what would do; empty: nothing.
std::string role_complaint(std::string_view text, const TokenRoles& roles);

}  // namespace zoo
