#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace zoo {

/// Takes the byte-order mark and the CR of each CRLF out of a file's text.
class TextCleaner {
 public:
  /// Cleans the next part of the file in place; none may end between CR and LF.
  void clean(std::string& part);

  /// Adds a sentence for each thing that was changed so far.
  void add_notes(const std::string& path, std::vector<std::string>& notes) const;

 private:
  bool started_ = false;
  bool had_mark_ = false;
  std::int64_t line_ends_ = 0;
};

}  // namespace zoo
