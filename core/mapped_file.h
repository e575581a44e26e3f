#pragma once

#include <filesystem>
#include <string_view>

namespace zoo {

/// A file in the address space, read-only: its pages come from the disk when they are touched.
class MappedFile {
 public:
  /// Throws UserError naming the path and the cause.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Gives the pages back; they are read again when they are touched.
  void release() const;

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace zoo
