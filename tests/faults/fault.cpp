#include "tests/faults/fault.h"

#include <cstdlib>
#include <random>
#include <sstream>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"

namespace zoo {

std::string text_of_fault(const Fault& fault) {
  const auto times = fault.times < 0    ? std::string(", from then on")
                     : fault.times == 1 ? std::string()
                                        : text_of(", ", fault.times, " times");
  return text_of(fault.what, " at call ", fault.at, times,
                 fault.exchanges ? "" : ", folders cannot be exchanged");
}

Environment with_fault(const Fault& fault, const std::filesystem::path& folder,
                       const std::filesystem::path& log) {
  Environment environment = {
      {"LD_PRELOAD", ZOO_FAULT_SHIM},
      {"ZOO_FAULT_FOLDER", std::filesystem::weakly_canonical(folder).string()},
      {"ZOO_FAULT", fault.what},
      {"ZOO_FAULT_AT", std::to_string(fault.at)},
      {"ZOO_FAULT_TIMES", std::to_string(fault.times)},
      {"ZOO_FAULT_LOG", log.string()},
      {"ZOO_NO_EXCHANGE", fault.exchanges ? "" : "1"}};
  // A sanitizer's library wants to be the first one otherwise.
  const char* options = std::getenv("ASAN_OPTIONS");
  environment["ASAN_OPTIONS"] =
      text_of(options == nullptr ? "" : options, ":verify_asan_link_order=0");
  return environment;
}

std::vector<FileCall> calls_in(const std::filesystem::path& log) {
  std::istringstream lines(read_file(log));
  std::vector<FileCall> calls;
  for (FileCall call; lines >> call.number >> call.kind && std::getline(lines, call.path);) {
    call.path.erase(0, 1);
    calls.push_back(call);
  }
  return calls;
}

std::uint64_t drawn_seed(const std::string& test) {
  const char* given = std::getenv("ZOO_SEED");
  const auto seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::uint64_t{std::random_device()()};
  WARN(test << ": ZOO_SEED=" << seed);
  return seed;
}

std::int64_t count_of(const char* variable, std::int64_t in_ci) {
  const char* given = std::getenv(variable);
  return given == nullptr ? in_ci : std::strtoll(given, nullptr, 10);
}

}  // namespace zoo
