#include "text/text_files.h"

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// Turns every CRLF into LF and counts them.
std::int64_t unify_line_ends(std::string& text) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool pair = text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n';
    if (!pair) text[kept++] = text[i];
  }
  const auto removed = text.size() - kept;
  text.resize(kept);
  return static_cast<std::int64_t>(removed);
}

}  // namespace

TextFile read_text_file(const std::string& option, const std::string& path,
                        std::vector<std::string>& notes) {
  TextFile file;
  file.text = read_file(path);
  file.source = {option, path, sha256(file.text), static_cast<std::int64_t>(file.text.size())};
  decode_utf8(file.text, path);
  if (file.text.starts_with(kByteOrderMark)) {
    file.text.erase(0, kByteOrderMark.size());
    notes.push_back(path + ": the byte-order mark at the start was removed.");
  }
  if (const auto count = unify_line_ends(file.text); count > 0) {
    notes.push_back(text_of(path, ": ", count, " line ends CRLF became LF."));
  }
  require<UserError>(!file.text.empty(), path, ": the file is empty");
  return file;
}

}  // namespace zoo
