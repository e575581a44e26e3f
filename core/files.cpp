#include "core/files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>  // RENAME_EXCHANGE
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/errors.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const fs::path& path, int cause) {
  throw UserError(text_of(
      "cannot ", what, " ", path.string(), ": ",
      cause == ELOOP ? "a link, which may lead anywhere; delete it" : std::strerror(cause)));
}

/// The result of a system call, made again while a signal interrupts it (network disks do that).
template <class Call>
auto retried(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

/// Does not wait for the other end of a pipe.
int open_file(const fs::path& path, int flags) {
  return retried([&] { return ::open(path.c_str(), flags | O_CLOEXEC | O_NONBLOCK, 0644); });
}

void write_all(int descriptor, std::string_view bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const auto written = retried([&] { return ::write(descriptor, bytes.data(), bytes.size()); });
    if (written < 0) fail("write", path, errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// An open file descriptor, closed when it leaves its scope.
class Descriptor {
 public:
  Descriptor(const fs::path& path, int flags, const char* what)
      : path_(path), value_(open_file(path, flags)) {
    if (value_ < 0) fail(what, path, errno);
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int value() const { return value_; }

  void sync() const {
    if (retried([&] { return ::fsync(value_); }) != 0) fail("sync", path_, errno);
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
  require<UserError>(!S_ISCHR(info.st_mode) && !S_ISBLK(info.st_mode), "cannot read ",
                     path.string(), ": a device, which may never end; give a file");
  if (S_ISFIFO(info.st_mode)) ::fcntl(file.value(), F_SETFL, 0);  // its writer may be slow
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(std::max<off_t>(info.st_size, 0)));
  char buffer[1 << 16];
  while (true) {
    const auto count = retried([&] { return ::read(file.value(), buffer, sizeof buffer); });
    if (count < 0) fail("read", path, errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<std::size_t>(count));
  }
}

void write_file_synced(const fs::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, "write");
  write_all(file.value(), bytes, path);
  file.sync();
  file.close();
}

void replace_file(const fs::path& path, std::string_view bytes) {
  std::error_code unknown;
  const auto there = fs::status(path, unknown);
  require<UserError>(!fs::exists(there) || fs::is_regular_file(there), "cannot write ",
                     path.string(), ": something else than a file has this name");
  auto beside = path;
  beside += ".tmp";
  try {
    write_file_synced(beside, bytes);
    rename_path(beside, path);
  } catch (const UserError&) {
    ::unlink(beside.c_str());  // a part of it would only fill the disk
    throw;
  }
  sync_folder(folder_of(path));
}

void replace_link(const fs::path& link, const fs::path& target) {
  auto beside = link;
  beside += ".tmp";
  remove_path(beside);
  if (retried([&] { return ::symlink(target.c_str(), beside.c_str()); }) != 0) {
    fail("make the link", beside, errno);
  }
  rename_path(beside, link);
  sync_folder(folder_of(link));
}

fs::path target_of_link(const fs::path& link) {
  std::error_code error;
  fs::path target;
  do {
    target = fs::read_symlink(link, error);
  } while (error == std::errc::interrupted);
  if (!error || error == std::errc::no_such_file_or_directory) return target;
  require<UserError>(error != std::errc::invalid_argument, link.string(),
                     ": is no link; it was copied without keeping links (cp -a keeps them)");
  fail("read the link", link, error.value());
}

void sync_file(const fs::path& path) { Descriptor(path, O_RDONLY, "open").sync(); }

void sync_folder(const fs::path& folder) {
  const Descriptor descriptor(folder, O_RDONLY | O_DIRECTORY, "open");
  descriptor.sync();
}

bool make_new_folder(const fs::path& folder) {
  if (retried([&] { return ::mkdir(folder.c_str(), 0777); }) != 0) {
    if (errno == EEXIST) return false;
    fail("make the folder", folder, errno);
  }
  sync_folder(folder_of(folder));
  return true;
}

void make_folders(const fs::path& folder) {
  if (folder.empty()) fail("make the folder", folder, ENOENT);
  fs::path above;
  for (const auto& part : folder) {
    above /= part;
    struct stat info = {};
    if (::stat(above.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) continue;
    const bool made = make_new_folder(above);
    std::error_code ignored;
    if (!made && !fs::is_directory(above, ignored)) fail("make the folder", folder, ENOTDIR);
  }
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  do {
    names.clear();
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
      names.push_back(entry->path().filename().string());
    }
  } while (error == std::errc::interrupted);
  if (error && error != std::errc::no_such_file_or_directory) fail("list", folder, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

void remove_path(const fs::path& path) {
  std::error_code error;
  do {
    fs::remove_all(path, error);
  } while (error == std::errc::interrupted);
  if (error) fail("remove", path, error.value());
}

void rename_path(const fs::path& from, const fs::path& to) {
  if (retried([&] { return ::rename(from.c_str(), to.c_str()); }) != 0) {
    fail("rename " + from.string() + " to", to, errno);
  }
}

void exchange_folders(const fs::path& from, const fs::path& to) {
  const auto exchange = [&] {
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_EXCHANGE);
  };
  if (retried(exchange) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) fail("rename " + from.string() + " to", to, errno);
  auto aside = to;  // some network file systems cannot
  aside += ".old.tmp";
  remove_path(aside);
  rename_path(to, aside);
  try {
    rename_path(from, to);
  } catch (const UserError&) {
    ::rename(aside.c_str(), to.c_str());
    throw;
  }
  rename_path(aside, from);
}

GrowingFile::GrowingFile(fs::path path)
    : path_(std::move(path)),
      descriptor_(open_file(path_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)) {
  if (descriptor_ < 0) fail("write", path_, errno);
}

GrowingFile::~GrowingFile() { ::close(descriptor_); }

void GrowingFile::append(std::string_view bytes) { write_all(descriptor_, bytes, path_); }

FolderLock::FolderLock(const fs::path& folder) {
  const auto path = folder / "lock";
  descriptor_ = open_file(path, O_RDWR | O_CREAT | O_NOFOLLOW);
  if (descriptor_ < 0) fail("open", path, errno);
  if (retried([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) != 0) {
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
