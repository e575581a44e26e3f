#pragma once

#include <string>
#include <string_view>

#include "core/sha256.h"
#include "core/source_file.h"

namespace zoo {

/// What identifies a folder: the SHA-256 of a line for each file, its relative name, a zero byte
/// and its own SHA-256. Files come in the order of their names.
class FolderHash {
 public:
  void add(const std::string& relative_name, std::string_view bytes);
  SourceFile finish(const std::string& option, const std::string& path);

 private:
  Sha256 hash_;
  std::int64_t bytes_ = 0;
};

}  // namespace zoo
