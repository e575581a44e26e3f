#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "text/tokenizers/json_node.h"

namespace zoo {

/// The `pre_tokenizer` of a tokenizer.json, which cuts text into words: null (the text is one),
/// ByteLevel, Split by GPT-2's pattern, BertPreTokenizer, WhitespaceSplit or a Sequence of those.
class PreTokenizer {
 public:
  using WordVisitor = std::function<void(std::string_view)>;

  /// Throws UserError naming the place of what is not supported or damaged.
  explicit PreTokenizer(const JsonNode& json);

  /// Calls `visit` with one word after another, none empty. The words of ByteLevel are in its
  /// alphabet and live only during the call; others are parts of the text.
  void split(std::string_view text, const WordVisitor& visit) const { run(0, text, visit); }

  /// Whether words are parts of the text.
  bool keeps_text() const;

  /// Whether text that is not UTF-8 is cut like any other.
  bool takes_any_bytes() const;

 private:
  enum class Kind { kByteLevel, kGpt2Words, kBertWords, kWhiteSpace };
  struct Step {
    Kind kind;
    bool prefix_space = false;
    bool cut_words = true;
  };
  static Step step_of(const JsonNode& json);
  void run(std::size_t step, std::string_view text, const WordVisitor& visit) const;

  std::vector<Step> steps_;
};

}  // namespace zoo
