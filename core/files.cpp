#include "core/files.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const fs::path& path, int cause) {
  throw UserError(text_of("cannot ", what, " ", path.string(), ": ", std::strerror(cause)));
}

/// An open file descriptor, closed when it leaves its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* what)
      : path_(path), value_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
    if (value_ < 0) fail(what, path, errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

  void write_all(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto written = ::write(value_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail("write", path_, errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void sync() const {
    int result = 0;
    do {
      result = ::fsync(value_);
    } while (result != 0 && errno == EINTR);
    if (result != 0) fail("sync", path_, errno);
  }

  /// Closes and reports what close reports (a full network disk speaks up only here).
  void close() {
    const int descriptor = value_;
    value_ = -1;
    if (::close(descriptor) != 0 && errno != EINTR) fail("close", path_, errno);
  }

 private:
  fs::path path_;
  int value_;
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::string read_file(const fs::path& path) {
  const Descriptor file(path, O_RDONLY, "read");
  struct stat info = {};
  if (::fstat(file.value(), &info) != 0) fail("read", path, errno);
  if (S_ISDIR(info.st_mode)) fail("read", path, EISDIR);
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)));
  char buffer[1 << 16];
  while (true) {
    const auto count = ::read(file.value(), buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("read", path, errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

void write_file_synced(const fs::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC, "write");
  file.write_all(bytes);
  file.sync();
  file.close();
}

void replace_file(const fs::path& path, std::string_view bytes) {
  auto beside = path;
  beside += ".tmp";
  write_file_synced(beside, bytes);
  rename_path(beside, path);
  sync_folder(folder_of(path));
}

void replace_link(const fs::path& link, const fs::path& target) {
  auto beside = link;
  beside += ".tmp";
  if (::unlink(beside.c_str()) != 0 && errno != ENOENT) fail("replace", beside, errno);
  if (::symlink(target.c_str(), beside.c_str()) != 0) fail("link", beside, errno);
  rename_path(beside, link);
  sync_folder(folder_of(link));
}

void sync_file(const fs::path& path) { Descriptor(path, O_RDONLY, "open").sync(); }

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY, "open");
  descriptor.sync();
}

void make_folders(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail("make the folder", folder, error.value());
}

void rename_path(const fs::path& from, const fs::path& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) {
    fail("rename " + from.string() + " to", to, errno);
  }
}

FolderLock::FolderLock(const fs::path& folder) {
  const auto path = folder / "lock";
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor_ < 0) fail("open", path, errno);
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int cause = errno;
    ::close(descriptor_);
    if (cause == EWOULDBLOCK) {
      throw UserError(folder.string() +
                      ": another process is using this run; wait for it or stop it first");
    }
    fail("lock", path, cause);
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace zoo
