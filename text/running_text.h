#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "text/data_options.h"

namespace zoo {

/// A file of running text that was read once and found to be UTF-8; it is read again in parts, so
/// that its size costs no memory. Byte-order mark and CRLF are taken out on the way.
struct RunningText {
  SourceFile source;
  std::int64_t characters = 0;  ///< code points
};

/// Characters [begin, end) of a file; an empty range: no such split.
struct TextRange {
  const RunningText* text = nullptr;
  std::int64_t begin = 0;
  std::int64_t end = 0;

  bool empty() const { return begin == end; }
};

/// Reads a file that `option` names; a sentence for each thing that is changed goes to `notes`.
/// Throws UserError: missing, empty, not UTF-8 (with the byte offset).
RunningText scan_running_text(const std::string& option, const std::string& path,
                              std::vector<std::string>& notes);

/// A part of a text, and the line of the file (from 1) on which it starts.
using PartVisitor = std::function<void(std::string_view part, std::int64_t line)>;

/// Visits a range in parts of about a MiB that end where a word ends and whitespace follows, so
/// that tokens of the parts are the tokens of the whole.
void for_each_part(const TextRange& range, const PartVisitor& visit);

}  // namespace zoo
