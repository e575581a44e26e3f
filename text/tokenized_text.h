#pragma once

#include <optional>

#include "text/running_text.h"
#include "text/token_stream.h"
#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// Tokens of a range of running text. `in_file`: kept in a mapped file of the cache, which is made
/// once for the same text and tokenizer; unset: for large text. Throws UserError naming the line of
/// a character that the tokenizer refuses.
TokenStream tokenize(const TextRange& range, const char* split, const Tokenizer& tokenizer,
                     std::optional<bool> in_file);

}  // namespace zoo
