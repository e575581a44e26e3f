#include "analysis/machine.h"

#include <fstream>
#include <string>

namespace zoo {
namespace {

/// The value of a line "NAME:   123 kB", in bytes.
std::int64_t kilobytes_of(const char* file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace

std::int64_t available_memory() { return kilobytes_of("/proc/meminfo", "MemAvailable"); }

std::int64_t held_memory() { return kilobytes_of("/proc/self/status", "VmRSS"); }

}  // namespace zoo
