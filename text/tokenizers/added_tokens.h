#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/tokenizers/json_node.h"

namespace zoo {

/// A token that is found in a text before the text is cut into words.
struct AddedToken {
  std::int64_t id = 0;
  std::string content;
  bool left_strip = false;   ///< white space before it is dropped
  bool right_strip = false;  ///< and after it
  bool normalized = false;   ///< looked for in the normalized text, in normalized form
  bool special = true;       ///< marks something, is no text
};

/// Reads the `added_tokens` of a tokenizer.json. Throws UserError naming the place of a token that
/// is damaged, given twice or asks for what is not supported (single_word).
std::vector<AddedToken> added_tokens_from_json(const JsonNode& json);

/// An item of the `added_tokens` for a special token.
nlohmann::json special_token_json(const std::string& content, std::int64_t id);

/// Finds tokens in texts: the leftmost first, of those the longest, without overlap.
class TokenFinder {
 public:
  TokenFinder() = default;
  /// Each content not empty and given once.
  explicit TokenFinder(std::vector<AddedToken> tokens);

  bool empty() const { return tokens_.empty(); }

  /// Calls `text_between` and `token` in the order of the text; no text between is empty.
  void split(std::string_view text, const std::function<void(std::string_view)>& text_between,
             const std::function<void(std::int64_t)>& token) const;

 private:
  /// The longest token that starts at the offset, or null.
  const AddedToken* match(std::string_view text, std::size_t offset) const;

  std::vector<AddedToken> tokens_;  // sorted by content
  std::array<std::pair<std::size_t, std::size_t>, 256> by_first_byte_{};
};

}  // namespace zoo
