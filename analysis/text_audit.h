#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/found_places.h"
#include "analysis/text_counts.h"
#include "text/text_data.h"

namespace zoo {

/// What one split was found to hold.
struct TextSplitAudit {
  std::string name;
  std::int64_t examples = 0;  ///< of running text lines, those of which it has a part as well
  std::int64_t tokens = 0;    ///< with boundaries and separators
  std::int64_t characters =
      0;  ///< code points; of pairs both sides, line ends of running text only
  /// Tokens of an example, the boundary before it and the separator in it counted as `zoo data
  /// show` does; none of running text.
  std::optional<Lengths> token_lengths;
  Lengths character_lengths;               ///< of lines, texts and sources
  std::optional<Lengths> target_lengths;   ///< of targets, in characters
  std::vector<CharacterCount> alphabet;    ///< rarest first
  std::vector<CharacterCount> unseen;      ///< those that train does not have, rarest first
  std::int64_t unknown_tokens = 0;         ///< tokens [UNK] or <unk>
  FoundPlaces repeated;                    ///< equal to an earlier one of the split
  FoundPlaces in_train;                    ///< the line or source also stands in train
  FoundPlaces in_val;                      ///< of test: the line or source also stands in val
  std::optional<FoundPlaces> near_train;   ///< near duplicates of train that do not stand there
  FoundPlaces ambiguous;                   ///< the source stood earlier with another target
  std::vector<std::int64_t> class_counts;  ///< examples of each class
};

/// What the text that a config names was found to hold once it is loaded.
struct TextAudit {
  TextFormat format = TextFormat::kLines;
  bool deduplicate = true;                 ///< whether the loader kept equal examples once
  std::optional<UnknownCharacter> unseen;  ///< what training does with a character that train does
                                           ///< not have; none: the tokenizer learns no characters
  std::int64_t vocab_size = 0;
  std::optional<std::int64_t> source_vocab_size;  ///< of sources with a vocabulary of their own
  std::vector<std::string> classes;               ///< the labels of labelled lines, sorted
  std::vector<TextSplitAudit> splits;             ///< those that have data, train first
  std::string near_skipped;  ///< why near duplicates were not looked for; empty: they were
  std::vector<SourceFile> files;
  std::vector<std::string> notes;  ///< the loader's, which say what it dropped

  /// What the examples are: lines, pairs or texts.
  const char* unit() const;
};

/// Loads what the options name (paths as they are) and looks through it. Characters that training
/// would refuse are counted, not refused; of the rest of what load_text_data refuses it throws the
/// same UserError.
TextAudit audit_text(const DataOptions& options, const TokenizerOptions& tokenizer,
                     const TextNeeds& needs = {});

}  // namespace zoo
