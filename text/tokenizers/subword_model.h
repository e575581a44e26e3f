#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace zoo {

/// Thrown by a model that refuses unknown characters; the tokenizer, which knows the whole text,
/// turns it into a UserError.
struct UnknownPiece {
  std::size_t offset = 0;  ///< of the character's first byte in the word
};

/// The vocabulary of a sub-word tokenizer and how one word of it is cut into pieces. Immutable.
class SubwordModel {
 public:
  virtual ~SubwordModel() = default;

  /// Appends the ids of one word (a pre-token, never empty). Throws UnknownPiece.
  virtual void encode_word(std::string_view word, std::vector<std::int64_t>& ids) const = 0;

  /// The tokens by id.
  virtual const std::vector<std::string>& tokens() const = 0;

  /// The id of a token, or -1.
  virtual std::int64_t id_of(std::string_view token) const = 0;

  /// The `model` part of a tokenizer.json.
  virtual nlohmann::json to_json() const = 0;
};

}  // namespace zoo
