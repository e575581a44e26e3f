#pragma once

#include "text/tokenizers/unicode_forms.h"

namespace zoo {

struct BertNormalizerOptions {
  bool clean_text = true;            ///< no control characters, every white space a space
  bool handle_chinese_chars = true;  ///< spaces around each ideograph, so that it is a word
  bool strip_accents = true;         ///< decomposed, without nonspacing marks
  bool lowercase = true;
};

/// BERT's basic normalization (Devlin et al., 2018) as Hugging Face's BertNormalizer does it.
void normalize_as_bert(CodePoints& text, const BertNormalizerOptions& options);

}  // namespace zoo
