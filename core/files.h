#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace zoo {

/// The whole file as bytes. Throws UserError naming the path and the cause.
std::string read_file(const std::filesystem::path& path);

/// Writes a new file and syncs it to the disk. Throws UserError (disk full, no permission, ...).
void write_file_synced(const std::filesystem::path& path, std::string_view bytes);

/// Replaces a file so that a reader or a crash sees the old content or the new, never a part:
/// written beside, synced, renamed, folder synced.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// Points the symbolic link `link` at `target` (relative), in one step.
void replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

/// Makes what was written into a file durable.
void sync_file(const std::filesystem::path& path);

/// Makes the entries of a folder durable.
void sync_folder(const std::filesystem::path& folder);

/// Makes a folder and the missing ones above it. Throws UserError.
void make_folders(const std::filesystem::path& folder);

/// Renames; throws UserError naming both paths and the cause.
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// Holds an exclusive lock on `<folder>/lock` while it lives, so that two processes never write
/// one run. Throws UserError when another process holds it.
class FolderLock {
 public:
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace zoo
