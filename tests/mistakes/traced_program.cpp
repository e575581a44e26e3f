#include "tests/mistakes/traced_program.h"

#include <algorithm>
#include <sstream>

#include "core/files.h"
#include "tests/support/child_program.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr const char* kTracer = "/usr/bin/strace";
/// `?`: not every processor has every call.
constexpr const char* kWatched =
    "trace=execve,execveat,?fork,?vfork,socket,connect,bind,openat,?openat2,?open,?creat,?rename,"
    "?renameat,renameat2,?unlink,unlinkat,?mkdir,mkdirat,?rmdir,?link,linkat,?symlink,symlinkat,"
    "truncate,?chmod,fchmodat,?chown,fchownat,?mknod,mknodat,mount,ptrace";

/// The name of the call in "123 openat(AT_FDCWD, ...": what stands before the first bracket.
std::string name_of_call(const std::string& line) {
  const auto end = line.find('(');
  if (end == std::string::npos) return "";  // a signal, an exit, the rest of a call
  const auto start = line.find_last_of(' ', end);
  return line.substr(start == std::string::npos ? 0 : start + 1,
                     end - (start == std::string::npos ? 0 : start + 1));
}

/// The paths that stand in quotes, whole where a folder that was opened stands before:
/// `unlinkat(8</run>, "a", 0)`.
std::vector<std::string> paths_of(const std::string& line) {
  std::vector<std::string> paths;
  for (auto at = line.find('"'); at != std::string::npos;) {
    const auto end = line.find('"', at + 1);
    if (end == std::string::npos) break;
    auto path = line.substr(at + 1, end - at - 1);
    const bool below = at >= 3 && line.compare(at - 3, 3, ">, ") == 0 && !path.starts_with('/');
    const auto folder = below ? line.rfind('<', at) : std::string::npos;
    if (folder != std::string::npos) {
      path = line.substr(folder + 1, at - 3 - folder - 1) + "/" + path;
    }
    paths.push_back(path);
    at = line.find('"', end + 1);
  }
  return paths;
}

bool lies_in(const std::string& path, const fs::path& folder) {
  const auto whole = fs::path(path).lexically_normal().string();
  const auto within = folder.lexically_normal().string();
  return whole == within || whole.starts_with(within + "/");
}

/// Devices and the process's own entries are no files of anybody's.
bool is_no_file(const std::string& path) {
  return (path.starts_with("/dev/") && !path.starts_with("/dev/shm/")) ||
         path.starts_with("/proc/self/");
}

bool only_reads(const std::string& line) {
  return line.find("O_WRONLY") == std::string::npos && line.find("O_RDWR") == std::string::npos &&
         line.find("O_CREAT") == std::string::npos && line.find("O_TRUNC") == std::string::npos &&
         line.find("O_TMPFILE") == std::string::npos;
}

bool is_allowed(const std::string& line, const fs::path& folder) {
  const auto name = name_of_call(line);
  if (name.empty() || name == "exited" || name == "+++") return true;
  for (const char* never :
       {"exec", "fork", "vfork", "socket", "connect", "bind", "mount", "ptrace"}) {
    if (name.starts_with(never)) return false;
  }
  if (name.starts_with("open") && only_reads(line)) return true;
  const auto paths = paths_of(line);
  // The target of a symbolic link may be relative to the link.
  if (name.starts_with("symlink")) return !paths.empty() && lies_in(paths.back(), folder);
  return !paths.empty() && std::all_of(paths.begin(), paths.end(), [&](const auto& path) {
    return lies_in(path, folder) || is_no_file(path);
  });
}

}  // namespace

TracedProgram traced_zoo(const std::vector<std::string>& arguments) {
  const TemporaryFolder folder;
  const auto log = (folder / "calls").string();
  std::vector<std::string> all = {"-f", "-qq",    "-y", "-o",          log,
                                  "-e", kWatched, "-e", "signal=none", ZOO_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  TracedProgram traced;
  traced.result = run_program(kTracer, all);
  if (!fs::exists(log)) return traced;
  std::istringstream lines(read_file(log));
  for (std::string line; std::getline(lines, line);) traced.calls.push_back(line);
  return traced;
}

bool can_trace() {
  static const bool can = fs::exists(kTracer) && !traced_zoo({"--version"}).calls.empty();
  return can;
}

std::vector<std::string> forbidden_calls(const std::vector<std::string>& calls,
                                         const fs::path& folder) {
  std::vector<std::string> forbidden;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const bool starts_it = i == 0 && name_of_call(calls[i]) == "execve";
    if (!starts_it && !is_allowed(calls[i], folder)) forbidden.push_back(calls[i]);
  }
  return forbidden;
}

}  // namespace zoo
