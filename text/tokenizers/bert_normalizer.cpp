#include "text/tokenizers/bert_normalizer.h"

#include <algorithm>
#include <utility>

namespace zoo {
namespace {

constexpr char32_t kReplacementCharacter = 0xFFFD;

bool is_line_white_space(char32_t code_point) {
  return code_point == '\t' || code_point == '\n' || code_point == '\r';
}

void clean(CodePoints& text) {
  std::erase_if(text, [](char32_t c) {
    return c == kReplacementCharacter || (is_control_or_private(c) && !is_line_white_space(c));
  });
  std::replace_if(text.begin(), text.end(), is_white_space, U' ');
}

/// BERT's blocks of ideographs with Hugging Face's slip, U+2B920 where the block starts at U+2B820:
/// tokenizers made with it have it.
bool is_ideograph(char32_t c) {
  constexpr std::pair<char32_t, char32_t> kBlocks[] = {
      {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
      {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  if (c < kBlocks[0].first) return false;
  return std::any_of(std::begin(kBlocks), std::end(kBlocks),
                     [&](const auto& block) { return c >= block.first && c <= block.second; });
}

void separate_ideographs(CodePoints& text) {
  if (std::none_of(text.begin(), text.end(), is_ideograph)) return;
  CodePoints separated;
  separated.reserve(text.size());
  for (const auto c : text) {
    if (is_ideograph(c)) {
      separated.insert(separated.end(), {U' ', c, U' '});
    } else {
      separated.push_back(c);
    }
  }
  text = std::move(separated);
}

}  // namespace

void normalize_as_bert(CodePoints& text, const BertNormalizerOptions& options) {
  if (options.clean_text) clean(text);
  if (options.handle_chinese_chars) separate_ideographs(text);
  if (options.strip_accents) {
    decompose(text, /*compatible=*/false);
    std::erase_if(text, is_nonspacing_mark);
  }
  if (options.lowercase) lower_case(text);
}

}  // namespace zoo
