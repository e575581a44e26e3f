#include "apps/streamed_text.h"

#include "text/utf8.h"

namespace zoo {
namespace {

/// Tokens that are decoded together at most; what they say then depends no longer on those before.
constexpr std::size_t kMostTokens = 64;
/// Bytes of a character: more that do not make one never will.
constexpr std::size_t kLongestCharacter = 4;

}  // namespace

void StreamedText::print(std::string_view text) {
  out_ << text << std::flush;
  printed_ += text.size();
}

void StreamedText::add(std::int64_t id) {
  ids_.push_back(id);
  const auto text = tokenizer_.decode(ids_);
  const auto fresh = std::string_view(text).substr(printed_);
  const auto whole = valid_utf8_prefix(fresh);
  print(fresh.size() - whole < kLongestCharacter ? fresh.substr(0, whole) : fresh);
  if (ids_.size() >= kMostTokens && printed_ == text.size()) {
    ids_.erase(ids_.begin(), ids_.end() - 1);
    printed_ = tokenizer_.decode(ids_).size();
  }
}

void StreamedText::finish() {
  print(std::string_view(tokenizer_.decode(ids_)).substr(printed_));
  ids_.clear();
  printed_ = 0;
}

}  // namespace zoo
