// Preloaded into a program, lets the k-th call that touches a folder fail, or ends the program
// there. What it does is said by environment variables:
//   ZOO_FAULT_FOLDER  calls on paths below it are counted, from 1
//   ZOO_FAULT_AT      the k
//   ZOO_FAULT_TIMES   how many calls from there on; -1: all
//   ZOO_FAULT         ENOSPC, EIO, EINTR or EACCES; short: a write writes half; SIGKILL, SIGTERM
//   ZOO_FAULT_LOG     a line "k kind path" for each counted call goes there, its kind one of open
//                     (to write, or of a folder), read (an open to read), write, sync, rename,
//                     mkdir, symlink, readlink, remove
//   ZOO_NO_EXCHANGE   renameat2 with flags fails, as on file systems that know none
#undef _FORTIFY_SOURCE  // its headers would define some of the functions below
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// The system's headers may define some of these as macros or with other attributes.
#undef open64
#undef openat64
#undef creat64
#undef fopen64
#undef pwrite64

namespace {

constexpr size_t kLongest = 4096;
constexpr int kShort = -1;
constexpr int kSignal = 1000;  // and the signal's number

std::atomic<long> calls{0};
std::atomic<long> failures{0};

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The errno, kShort, or kSignal and more.
int fault() {
  const struct {
    const char* name;
    int value;
  } known[] = {{"ENOSPC", ENOSPC},
               {"EIO", EIO},
               {"EINTR", EINTR},
               {"EACCES", EACCES},
               {"short", kShort},
               {"SIGKILL", kSignal + SIGKILL},
               {"SIGTERM", kSignal + SIGTERM}};
  for (const auto& one : known) {
    if (std::strcmp(setting("ZOO_FAULT"), one.name) == 0) return one.value;
  }
  return 0;
}

bool starts_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

bool is_below_folder(const char* path) {
  const char* folder = setting("ZOO_FAULT_FOLDER");
  const char after = starts_with(path, folder) ? path[std::strlen(folder)] : 'x';
  return *folder != '\0' && (after == '\0' || after == '/');
}

/// The path behind a descriptor; "" where it has none.
void path_of(int descriptor, char* path) {
  char link[64];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const long length = ::syscall(SYS_readlinkat, AT_FDCWD, link, path, kLongest - 1);
  path[length < 0 ? 0 : length] = '\0';
}

/// A path made absolute.
void path_from(int folder, const char* name, char* path) {
  path[0] = '\0';
  if (name[0] != '/') {
    if (folder == AT_FDCWD) {
      if (::syscall(SYS_getcwd, path, kLongest) < 0) path[0] = '\0';
    } else {
      path_of(folder, path);
    }
    std::strncat(path, "/", kLongest - std::strlen(path) - 1);
  }
  std::strncat(path, name, kLongest - std::strlen(path) - 1);
}

void log(long number, const char* kind, const char* path) {
  const char* file = setting("ZOO_FAULT_LOG");
  if (*file == '\0') return;
  char line[kLongest + 64];
  const int length = std::snprintf(line, sizeof line, "%ld %s %s\n", number, kind, path);
  const long opened =
      ::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  ::syscall(SYS_write, opened, line, static_cast<size_t>(length));
  ::syscall(SYS_close, opened);
}

/// Counts a call. Returns the errno that it must fail with, kShort, or 0: it goes on.
int counted(const char* kind, const char* path) {
  if (!is_below_folder(path)) return 0;
  const long number = ++calls;
  log(number, kind, path);
  const long first = std::atol(setting("ZOO_FAULT_AT"));
  const long times =
      *setting("ZOO_FAULT_TIMES") == '\0' ? 1 : std::atol(setting("ZOO_FAULT_TIMES"));
  if (first == 0 || number < first || (times >= 0 && failures >= times)) return 0;
  const int what = fault();
  if (what == kShort && std::strcmp(kind, "write") != 0) return 0;
  ++failures;
  if (what < kSignal) return what;
  ::syscall(SYS_kill, ::getpid(), what - kSignal);
  return 0;
}

int counted_at(const char* kind, int folder, const char* name) {
  char path[kLongest];
  path_from(folder, name, path);
  return counted(kind, path);
}

int counted_of(const char* kind, int descriptor) {
  char path[kLongest];
  path_of(descriptor, path);
  return counted(kind, path);
}

/// What a system call function returns for a raw system call, or instead of one.
long finished(int error, long result) {
  if (error <= 0) return result;
  errno = error;
  return -1;
}

const char* kind_of_open(int flags) {
  const bool changes = (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0;
  return changes || (flags & O_DIRECTORY) != 0 ? "open" : "read";
}

int open_at(int folder, const char* name, int flags, mode_t mode) {
  const int error = counted_at(kind_of_open(flags), folder, name);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_openat, folder, name, flags, mode));
}

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

FILE* open_stream(const char* function, const char* name, const char* mode) {
  const bool reads = mode[0] == 'r' && std::strchr(mode, '+') == nullptr;
  const int error = counted_at(reads ? "read" : "open", AT_FDCWD, name);
  if (error <= 0) return next<FILE*(const char*, const char*)>(function)(name, mode);
  errno = error;
  return nullptr;
}

size_t shortened(int error, size_t size) { return error == kShort && size > 1 ? size / 2 : size; }

mode_t mode_of(int flags, va_list arguments) {
  const bool creates = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return creates ? va_arg(arguments, mode_t) : 0;
}

}  // namespace

#define ZOO_OPEN(function)                         \
  int function(const char* name, int flags, ...) { \
    va_list arguments;                             \
    va_start(arguments, flags);                    \
    const mode_t mode = mode_of(flags, arguments); \
    va_end(arguments);                             \
    return open_at(AT_FDCWD, name, flags, mode);   \
  }
#define ZOO_OPENAT(function)                                   \
  int function(int folder, const char* name, int flags, ...) { \
    va_list arguments;                                         \
    va_start(arguments, flags);                                \
    const mode_t mode = mode_of(flags, arguments);             \
    va_end(arguments);                                         \
    return open_at(folder, name, flags, mode);                 \
  }

extern "C" {

ZOO_OPEN(open)
ZOO_OPEN(open64)
ZOO_OPENAT(openat)
ZOO_OPENAT(openat64)
int __open_2(const char* name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __open64_2(const char* name, int flags) { return open_at(AT_FDCWD, name, flags, 0); }
int __openat_2(int folder, const char* name, int flags) { return open_at(folder, name, flags, 0); }
int __openat64_2(int folder, const char* name, int flags) {
  return open_at(folder, name, flags, 0);
}
int creat(const char* name, mode_t mode) {
  return open_at(AT_FDCWD, name, O_CREAT | O_WRONLY | O_TRUNC, mode);
}
int creat64(const char* name, mode_t mode) { return creat(name, mode); }
FILE* fopen(const char* name, const char* mode) { return open_stream("fopen", name, mode); }
FILE* fopen64(const char* name, const char* mode) { return open_stream("fopen64", name, mode); }
DIR* opendir(const char* name) {
  const int error = counted_at("open", AT_FDCWD, name);
  if (error <= 0) return next<DIR*(const char*)>("opendir")(name);
  errno = error;
  return nullptr;
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  const int error = counted_of("write", descriptor);
  if (error > 0) return finished(error, 0);
  return ::syscall(SYS_write, descriptor, bytes, shortened(error, size));
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off64_t offset) {
  const int error = counted_of("write", descriptor);
  if (error > 0) return finished(error, 0);
  return ::syscall(SYS_pwrite64, descriptor, bytes, shortened(error, size), offset);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return pwrite64(descriptor, bytes, size, offset);
}
ssize_t writev(int descriptor, const iovec* parts, int count) {
  const int error = counted_of("write", descriptor);
  if (error > 0) return finished(error, 0);
  if (error == kShort && parts[0].iov_len > 0) {
    return ::syscall(SYS_write, descriptor, parts[0].iov_base, shortened(error, parts[0].iov_len));
  }
  return ::syscall(SYS_writev, descriptor, parts, count);
}
int ftruncate64(int descriptor, off64_t size) noexcept {
  const int error = counted_of("write", descriptor);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_ftruncate, descriptor, size));
}
int ftruncate(int descriptor, off_t size) noexcept { return ftruncate64(descriptor, size); }
int fsync(int descriptor) {
  const int error = counted_of("sync", descriptor);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}
int fdatasync(int descriptor) {
  const int error = counted_of("sync", descriptor);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned flags) noexcept {
  if (flags != 0 && *setting("ZOO_NO_EXCHANGE") != '\0') {
    errno = EINVAL;
    return -1;
  }
  const int error = counted_at("rename", to_folder, to);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) noexcept {
  return renameat2(from_folder, from, to_folder, to, 0);
}
int rename(const char* from, const char* to) noexcept {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}
int mkdirat(int folder, const char* name, mode_t mode) noexcept {
  const int error = counted_at("mkdir", folder, name);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_mkdirat, folder, name, mode));
}
int mkdir(const char* name, mode_t mode) noexcept { return mkdirat(AT_FDCWD, name, mode); }
int symlinkat(const char* target, int folder, const char* name) noexcept {
  const int error = counted_at("symlink", folder, name);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_symlinkat, target, folder, name));
}
int symlink(const char* target, const char* name) noexcept {
  return symlinkat(target, AT_FDCWD, name);
}
ssize_t readlink(const char* name, char* target, size_t size) noexcept {
  const int error = counted_at("readlink", AT_FDCWD, name);
  if (error > 0) return finished(error, 0);
  return ::syscall(SYS_readlinkat, AT_FDCWD, name, target, size);
}
int unlinkat(int folder, const char* name, int flags) noexcept {
  const int error = counted_at("remove", folder, name);
  if (error > 0) return static_cast<int>(finished(error, 0));
  return static_cast<int>(::syscall(SYS_unlinkat, folder, name, flags));
}
int unlink(const char* name) noexcept { return unlinkat(AT_FDCWD, name, 0); }
int rmdir(const char* name) noexcept { return unlinkat(AT_FDCWD, name, AT_REMOVEDIR); }
int remove(const char* name) noexcept {
  const int error = counted_at("remove", AT_FDCWD, name);
  if (error > 0) return static_cast<int>(finished(error, 0));
  const int result = static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, name, 0));
  if (result == 0 || errno != EISDIR) return result;
  return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR));
}

}  // extern "C"
