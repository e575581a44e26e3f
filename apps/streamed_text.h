#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// Prints a text token by token. A character whose bytes are not all there yet waits for them.
class StreamedText {
 public:
  StreamedText(const Tokenizer& tokenizer, std::ostream& out) : tokenizer_(tokenizer), out_(out) {}

  void add(std::int64_t id);
  /// Prints what still waits and forgets the text.
  void finish();

 private:
  void print(std::string_view text);

  const Tokenizer& tokenizer_;
  std::ostream& out_;
  std::vector<std::int64_t> ids_;  // the last ones
  std::size_t printed_ = 0;        // bytes of their text
};

}  // namespace zoo
