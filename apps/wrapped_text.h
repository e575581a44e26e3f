#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zoo {

/// Words of a sentence; an option stays with its value (--set KEY=VALUE).
std::vector<std::string> words_of(const std::string& text);

/// The text in lines of at most so many columns, broken where two spaces stand, else at spaces, and
/// a word that is longer anywhere.
std::vector<std::string> lines_within(const std::string& text, std::int64_t columns);

/// How lines start.
struct Indents {
  std::string first;
  std::string others;
};

/// The words with single spaces, in lines of at most so many columns where no word is longer.
std::string in_lines(const std::vector<std::string>& words, std::int64_t columns,
                     const Indents& indents);

/// A shell command that goes on in further lines, as a shell reads it, where one would be wider.
std::string command_in_lines(const std::string& command, std::int64_t columns);

}  // namespace zoo
