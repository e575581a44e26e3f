#pragma once

#include <string>
#include <string_view>

#include "core/mapped_file.h"
#include "core/source_file.h"

namespace zoo {

/// A file of images or labels, unpacked where it is gzipped.
class DataFile {
 public:
  /// Throws UserError: no such file, empty, a folder, broken gzip data, too large.
  DataFile(const std::string& option, const std::string& path);

  /// Of the file as it lies on the disk.
  const SourceFile& source() const { return source_; }
  std::string_view bytes() const { return is_packed_ ? unpacked_ : file_.bytes(); }

 private:
  MappedFile file_;
  SourceFile source_;
  std::string unpacked_;
  bool is_packed_;
};

}  // namespace zoo
