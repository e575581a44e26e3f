#pragma once

#include <string>
#include <vector>

#include "text/data_options.h"

namespace zoo {

/// A data file: what identifies it, and its text.
struct TextFile {
  SourceFile source;
  std::string text;  ///< UTF-8 without byte-order mark, lines ended by LF
};

/// Reads a file that `option` names; a sentence for each thing that was changed goes to `notes`.
/// Throws UserError: missing, empty, not UTF-8 (with the byte offset).
TextFile read_text_file(const std::string& option, const std::string& path,
                        std::vector<std::string>& notes);

}  // namespace zoo
