#include "text/text_cleaner.h"

#include <string_view>

#include "core/errors.h"

namespace zoo {

void TextCleaner::clean(std::string& part) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  const bool has_mark = !started_ && part.starts_with(kByteOrderMark);
  std::size_t kept = 0;
  for (std::size_t i = has_mark ? kByteOrderMark.size() : 0; i < part.size(); ++i) {
    const bool pair = part[i] == '\r' && i + 1 < part.size() && part[i + 1] == '\n';
    if (!pair) part[kept++] = part[i];
    line_ends_ += pair ? 1 : 0;
  }
  had_mark_ = had_mark_ || has_mark;
  started_ = started_ || !part.empty();
  part.resize(kept);
}

void TextCleaner::add_notes(const std::string& path, std::vector<std::string>& notes) const {
  if (had_mark_) notes.push_back(path + ": the byte-order mark at the start was removed.");
  if (line_ends_ > 0) {
    notes.push_back(text_of(path, ": ", line_ends_, " line ends CRLF became LF."));
  }
}

}  // namespace zoo
