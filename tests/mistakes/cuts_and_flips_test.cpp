// Whatever is cut off a file's end, and whichever bit of its header is flipped, its reader answers:
// it takes the file, or refuses it in one line.
#include <algorithm>
#include <iostream>

#include "tests/mistakes/bad_files.h"
#include "tests/mistakes/tiny_run.h"
#include "tests/support/catch.h"
#include "tests/support/forked.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

/// Reads changed copies of one file and counts the answers.
class Sweep {
 public:
  Sweep(const FileFormat& format, const std::filesystem::path& folder)
      : format_(format), folder_(folder), good_(format.good()) {
    write_files(format_, folder_, good_);
  }

  void read_prefixes() {
    for (std::size_t size = 0; size < good_.size(); ++size) read(good_.substr(0, size), "cut");
  }

  void flip_bits() {
    const auto end = std::min(format_.header_bytes, good_.size());
    for (std::size_t at = 0; at < (end == 0 ? good_.size() : end); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        auto bytes = good_;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
        read(bytes, "byte " + std::to_string(at) + ", bit " + std::to_string(bit));
      }
    }
  }

  /// The counts, and behind a line break each the first messages that are none.
  std::string report() const {
    return std::to_string(refused_) + " refused, " + std::to_string(accepted_) + " accepted" +
           complaints_;
  }

 private:
  void read(const std::string& bytes, const std::string& change) {
    write_bytes(folder_ / format_.file, bytes);
    std::string answer;
    try {
      answer = answer_of(format_, folder_);
    } catch (const std::exception& error) {
      answer = std::string("other: ") + error.what();
    }
    if (answer == "accepted") {
      ++accepted_;
      return;
    }
    ++refused_;
    const auto complaint = answer.starts_with("refused: ") ? complaint_about(answer.substr(9))
                                                           : std::string("is no refusal");
    if (!complaint.empty() && complaints_.size() < 2'000) {
      complaints_ += "\n" + change + " (" + std::to_string(bytes.size()) + " bytes): " + answer +
                     ": " + complaint;
    }
  }

  const FileFormat& format_;
  std::filesystem::path folder_;
  std::string good_;
  std::size_t refused_ = 0, accepted_ = 0;
  std::string complaints_;
};

void check_sweep(const FileFormat& format, const char* what, void (Sweep::*change)()) {
  const TemporaryFolder folder;
  const auto result = forked(
      [&] {
        Sweep sweep(format, folder.path());
        (sweep.*change)();
        return sweep.report();
      },
      kSanitized ? 600 : 60);
  INFO(format.name << ", " << what << ": " << result.text);
  CHECK(result.signal == 0);
  CHECK(result.code == 0);
  CHECK(result.text.find('\n') == std::string::npos);
  std::cout << format.name << ", " << what << ": " << result.text << ", " << result.cpu_seconds
            << " s\n";
}

TEST_CASE("every prefix of a small file is read or refused in one line") {
  for (const auto& format : file_formats()) {
    check_sweep(format, "prefixes", &Sweep::read_prefixes);
  }
}

TEST_CASE("a file with any bit of its header flipped is read or refused in one line") {
  for (const auto& format : file_formats()) check_sweep(format, "flips", &Sweep::flip_bits);
}

}  // namespace
}  // namespace zoo
