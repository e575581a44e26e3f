#include "text/running_text.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "core/errors.h"
#include "core/sha256.h"
#include "text/text_cleaner.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr std::size_t kPart = std::size_t{1} << 20;
/// A part without any whitespace is cut at this size.
constexpr std::size_t kLongestPart = std::size_t{16} << 20;

/// Reads a file a MiB at a time, as clean UTF-8.
class CleanReader {
 public:
  explicit CleanReader(const std::string& path) : path_(path), file_(path, std::ios::binary) {
    require<UserError>(file_.is_open(), "cannot read ", path, ": ", std::strerror(errno));
  }

  /// The next characters of the file; nothing when all was read. `raw` is told the bytes as they
  /// lie.
  bool next(std::string& clean, const std::function<void(std::string_view)>& raw) {
    auto bytes = kept_;
    const auto kept = bytes.size();
    bytes.resize(kept + kPart);
    file_.read(bytes.data() + kept, kPart);
    require<UserError>(!file_.bad(), "cannot read ", path_);
    bytes.resize(kept + static_cast<std::size_t>(file_.gcount()));
    if (raw) raw(std::string_view(bytes).substr(kept));
    const bool last = !file_;
    auto usable = valid_utf8_prefix(bytes);
    const bool cut_character = !last && bytes.size() - usable < 4;
    if (usable != bytes.size() && !cut_character) {
      refuse_utf8(path_, offset_ + static_cast<std::int64_t>(usable));
    }
    if (!last && usable > 0 && bytes[usable - 1] == '\r') --usable;
    kept_ = bytes.substr(usable);
    bytes.resize(usable);
    offset_ += static_cast<std::int64_t>(usable);
    cleaner_.clean(bytes);
    clean = std::move(bytes);
    return !last || usable > 0;
  }

  const TextCleaner& cleaner() const { return cleaner_; }

 private:
  std::string path_;
  std::ifstream file_;
  std::string kept_;  // the start of a character or of CRLF that goes on in the next part
  std::int64_t offset_ = 0;
  TextCleaner cleaner_;
};

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Where the last word of the text ends and whitespace follows; 0 if nowhere.
std::size_t last_word_end(std::string_view text) {
  for (auto i = text.size(); i-- > 1;) {
    const bool ends = static_cast<unsigned char>(text[i - 1]) < 0x80 && !is_space(text[i - 1]);
    if (is_space(text[i]) && ends) return i;
  }
  return 0;
}

/// Hands text on in parts that end where a word ends.
class PartCutter {
 public:
  explicit PartCutter(const PartVisitor& visit) : visit_(visit) {}

  void add(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() < kPart) return;
    const auto end = last_word_end(buffer_);
    if (end > 0) hand_on(end);
    if (buffer_.size() >= kLongestPart) hand_on(buffer_.size());
  }
  void finish() {
    if (!buffer_.empty()) hand_on(buffer_.size());
  }
  void skip(std::string_view text) { line_ += std::count(text.begin(), text.end(), '\n'); }

 private:
  void hand_on(std::size_t size) {
    const auto part = std::string_view(buffer_).substr(0, size);
    visit_(part, line_);
    skip(part);
    buffer_.erase(0, size);
  }

  const PartVisitor& visit_;
  std::string buffer_;
  std::int64_t line_ = 1;
};

}  // namespace

RunningText scan_running_text(const std::string& option, const std::string& path,
                              std::vector<std::string>& notes) {
  require<UserError>(!std::filesystem::is_other(path), "cannot read ", path,
                     ": a pipe or a device, and it is read more than once; give a file");
  RunningText text;
  Sha256 hash;
  CleanReader reader(path);
  const auto add_raw = [&](std::string_view raw) {
    hash.add(raw);
    text.source.bytes += static_cast<std::int64_t>(raw.size());
  };
  for (std::string clean; reader.next(clean, add_raw);) text.characters += count_characters(clean);
  text.source.option = option;
  text.source.path = path;
  text.source.sha256 = hash.finish();
  reader.cleaner().add_notes(path, notes);
  require<UserError>(text.characters > 0, path, ": the file is empty");
  return text;
}

void for_each_part(const TextRange& range, const PartVisitor& visit) {
  CleanReader reader(range.text->source.path);
  PartCutter cutter(visit);
  std::int64_t at = 0;
  for (std::string clean; at < range.end && reader.next(clean, nullptr);) {
    const auto count = count_characters(clean);
    std::string_view wanted = clean;
    if (at + count > range.end) {
      wanted.remove_suffix(after_characters(wanted, range.end - at).size());
    }
    if (at < range.begin) {
      const auto before = wanted;
      wanted = after_characters(wanted, range.begin - at);
      cutter.skip(before.substr(0, before.size() - wanted.size()));
    }
    cutter.add(wanted);
    at += count;
  }
  cutter.finish();
}

}  // namespace zoo
