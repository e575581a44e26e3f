#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "text/tokenizers/added_tokens.h"
#include "text/tokenizers/json_node.h"
#include "text/tokenizers/subword_model.h"

namespace zoo {

/// Of a vocabulary that is read.
constexpr std::size_t kMostTokens = 4'000'000;

/// Reads the `model` of a tokenizer.json: BPE, or WordPiece. Added tokens that are not in its
/// vocabulary fill the ids that it leaves out. Throws UserError naming the place of what is not
/// supported or damaged.
std::shared_ptr<const SubwordModel> subword_model_from_json(const JsonNode& json,
                                                            const JsonNode& added_tokens);

}  // namespace zoo
