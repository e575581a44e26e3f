#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace zoo {

/// The whole file as bytes. Throws UserError naming the path and the cause, also for a device.
std::string read_file(const std::filesystem::path& path);

/// Writes a new file and syncs it to the disk. Throws UserError (disk full, a link, ...).
void write_file_synced(const std::filesystem::path& path, std::string_view bytes);

/// Replaces a file so that a reader or a crash sees the old content or the new, never a part:
/// written beside, synced, renamed, folder synced. Throws UserError, also for what is no file.
void replace_file(const std::filesystem::path& path, std::string_view bytes);

/// Points the symbolic link `link` at `target` (relative), in one step.
void replace_link(const std::filesystem::path& link, const std::filesystem::path& target);

/// What a symbolic link points at; empty where there is none. Throws UserError when it cannot be
/// read or something else has its name.
std::filesystem::path target_of_link(const std::filesystem::path& link);

/// Makes what was written into a file durable.
void sync_file(const std::filesystem::path& path);

/// Makes the entries of a folder durable.
void sync_folder(const std::filesystem::path& folder);

/// Makes a folder and the missing ones above it, durably. Throws UserError.
void make_folders(const std::filesystem::path& folder);

/// Makes one folder whose parent exists; false: the name is taken. Throws UserError.
bool make_new_folder(const std::filesystem::path& folder);

/// The names in a folder, sorted; none when there is no such folder. Throws UserError.
std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Removes a folder with all that is in it, a file or a link, if it is there. Throws UserError.
void remove_path(const std::filesystem::path& path);

/// Renames; throws UserError naming both paths and the cause.
void rename_path(const std::filesystem::path& from, const std::filesystem::path& to);

/// Puts a folder where another of the same parent is, in one step where the file system can, and
/// leaves the other at `from`. Throws UserError.
void exchange_folders(const std::filesystem::path& from, const std::filesystem::path& to);

/// A file that grows at its end. Each piece is handed to the system whole, so that a kill of this
/// process tears none.
class GrowingFile {
 public:
  /// Opens the file, or makes it. Throws UserError, also for a link.
  explicit GrowingFile(std::filesystem::path path);
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  /// Throws UserError naming the path and the cause; a part may have been written then.
  void append(std::string_view bytes);

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Holds an exclusive lock on `<folder>/lock` while it lives, so that two processes never write
/// one run. Throws UserError when another process holds it, and when `lock` is a link.
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
