#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace zoo {

/// How often each word (pre-token) stands in the training text.
using WordCounts = std::unordered_map<std::string, std::int64_t>;

struct PieceLearnerOptions {
  std::int64_t vocab_size = 0;          ///< special tokens and alphabet included
  std::int64_t min_frequency = 1;       ///< of a pair that is joined
  std::vector<std::string> specials{};  ///< get the first ids
  std::vector<std::string> alphabet{};  ///< characters that are in the vocabulary whatever the text
  std::string continuing_prefix{};      ///< "##" of WordPieces: before a piece inside a word
};

struct LearnedPieces {
  std::vector<std::string> tokens;                          ///< by id
  std::vector<std::pair<std::string, std::string>> merges;  ///< in the order they were learned
};

/// Byte-pair encoding (Sennrich et al., 2016): joins the most frequent pair of neighbouring pieces
/// until the vocabulary is full. Among pairs that are equally frequent the one with the lower ids
/// is joined first, as Hugging Face's trainers do, so the result is a function of the counts alone.
///
/// The ids are those of the special tokens, then of every character by code point, then (where
/// there is a continuing prefix) of every character that stands inside a word, prefixed, by code
/// point; Hugging Face gives the latter in a random order. Special tokens and characters are all in
/// the vocabulary, even where it becomes larger than `vocab_size` by them. A byte that is not UTF-8
/// counts as a character. Throws UserError for 4 GB of different words.
LearnedPieces learn_pieces(const WordCounts& words, const PieceLearnerOptions& options);

}  // namespace zoo
