// What is no whole file of its format is refused: in one line that names it, within a second, in
// little memory, and without a crash. Each file is written and read in processes of their own.
#include <algorithm>
#include <iostream>

#include "tests/mistakes/bad_files.h"
#include "tests/support/catch.h"
#include "tests/support/forked.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

constexpr double kMostSeconds = 1.0;
constexpr std::int64_t kMostKib = 64 << 10;

/// The largest of some figures, and whose it is.
struct Largest {
  double value = 0;
  std::string of;

  void take(double other, const std::string& name) {
    if (other > value || of.empty()) *this = {other, name};
  }
};

ForkedResult written_and_read(const FileFormat& format, const fs::path& folder,
                              const MakeBytes& bytes) {
  fs::remove_all(folder);
  const auto written = forked([&] {
    write_files(format, folder, bytes());
    return std::string("written");
  });
  INFO(written.text);
  REQUIRE(written.text == "written");
  return forked([&] { return answer_of(format, folder); });
}

void check_refused(const BadFile& bad, const ForkedResult& result, const fs::path& folder) {
  CHECK(result.signal == 0);
  CHECK(result.code == 0);
  const bool refused = result.text.starts_with("refused: ");
  CHECK(refused);
  if (!refused) return;
  const auto message = result.text.substr(9);
  CHECK(complaint_about(message) == "");
  CHECK_THAT(message, ContainsSubstring(folder.string() + "/"));
  CHECK_THAT(message, ContainsSubstring(bad.says));
}

TEST_CASE("every kind of bad file is refused in one line, fast and in little memory") {
  const TemporaryFolder folder;
  std::size_t count = 0;
  Largest most_kib, most_seconds;
  for (const auto& format : file_formats()) {
    const auto good = written_and_read(format, folder / "files", format.good);
    INFO(format.name << ": " << good.text);
    REQUIRE(good.text == "accepted");
    Largest kib, seconds;
    for (const auto& bad : format.bad) {
      const auto result = written_and_read(format, folder / "files", bad.bytes);
      INFO(format.name << ", " << bad.kind << ": " << result.text.substr(0, 500));
      check_refused(bad, result, folder / "files");
      const auto over = result.peak_kib - good.peak_kib;
      kib.take(static_cast<double>(over), bad.kind);
      seconds.take(result.cpu_seconds, bad.kind);
      if (!kSanitized) {
        CHECK(over <= kMostKib);
        CHECK(result.cpu_seconds < kMostSeconds);
      }
    }
    std::cout << format.name << ": " << format.bad.size() << " bad files; at most "
              << kib.value / 1024 << " MiB over a good one (" << kib.of << "), " << seconds.value
              << " s (" << seconds.of << ")\n";
    count += format.bad.size();
    most_kib.take(kib.value, format.name + ", " + kib.of);
    most_seconds.take(seconds.value, format.name + ", " + seconds.of);
  }
  std::cout << count << " bad files; at most " << most_kib.value / 1024 << " MiB (" << most_kib.of
            << "), " << most_seconds.value << " s (" << most_seconds.of << ")\n";
  CHECK(count >= 200);
}

TEST_CASE("no kind of bad file has another's name") {
  for (const auto& format : file_formats()) {
    std::vector<std::string> kinds;
    for (const auto& bad : format.bad) kinds.push_back(bad.kind);
    std::sort(kinds.begin(), kinds.end());
    const auto twice = std::adjacent_find(kinds.begin(), kinds.end());
    INFO(format.name << ": " << (twice == kinds.end() ? "" : *twice));
    CHECK(twice == kinds.end());
  }
}

}  // namespace
}  // namespace zoo
