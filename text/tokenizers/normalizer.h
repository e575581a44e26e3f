#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/tokenizers/json_node.h"
#include "text/tokenizers/unicode_forms.h"

namespace zoo {

/// The `normalizer` of a tokenizer.json: null, BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase or a
/// Sequence of those.
class Normalizer {
 public:
  /// Throws UserError naming the place of what is not supported or damaged.
  explicit Normalizer(const JsonNode& json);

  bool changes_nothing() const { return steps_.empty(); }

  /// `text` is UTF-8; throws UserError where it is not.
  std::string apply(std::string_view text) const;

 private:
  using Step = std::function<void(CodePoints&)>;
  static Step step_of(const JsonNode& json);

  std::vector<Step> steps_;
};

}  // namespace zoo
