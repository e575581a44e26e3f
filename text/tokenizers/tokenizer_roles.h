#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// The roles' ids; -1: none.
struct RoleIds {
  std::int64_t boundary = -1;
  std::int64_t separator = -1;
};

/// The `post_processor` of a tokenizer.json that puts the marks of a line around a text and between
/// two, as the training data has them; null without a boundary.
nlohmann::json role_template(const TokenRoles& roles, const RoleIds& ids);

/// The roles that a `post_processor` stands for; none unless role_template made it.
TokenRoles roles_of_template(const nlohmann::json& post_processor);

/// A tokenizer.json without its model: the special tokens, which have the ids from 0 on, and the
/// template of the roles, which are the first of them.
nlohmann::json tokenizer_frame(const std::vector<std::string>& specials, const TokenRoles& roles);

/// The tokens of the roles that there are, in the order of their ids in a learned vocabulary.
std::vector<std::string> tokens_of(const TokenRoles& roles);

}  // namespace zoo
