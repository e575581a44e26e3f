#pragma once

#include <cstddef>
#include <string_view>

namespace zoo {

/// GPT-2's rule for cutting text into words (Radford et al., 2019), as a regular expression.
constexpr const char* kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

/// Where the word that starts at a byte offset below the text's size ends, by kGpt2Pattern. A byte
/// that is not UTF-8 counts as a character that is neither letter, number nor space.
std::size_t gpt2_word_end(std::string_view text, std::size_t offset);

/// Calls `callback(std::string_view)` with one word after another; together they are the text.
template <class Callback>
void split_words(std::string_view text, Callback&& callback) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = gpt2_word_end(text, at);
    callback(text.substr(at, end - at));
    at = end;
  }
}

}  // namespace zoo
