#include "core/zip.h"

#include <cstdint>
#include <string>
#include <vector>

#include <zlib.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/zip_file.h"

namespace zoo {
namespace {

std::string complaint(const std::string& bytes) {
  return message_of<UserError>([&] { check_zip(bytes, "FILE"); });
}

const std::vector<ZipEntry> kEntries = {{"a/data", std::string(300, 'x'), false},
                                        {"a/code", std::string(5000, 'y') + "z", true},
                                        {"empty", "", false}};

TEST_CASE("whole archives are taken: stored, deflated, with a comment, in 64 bits") {
  CHECK_NOTHROW(check_zip(zip_file(kEntries), "FILE"));
  CHECK_NOTHROW(check_zip(zip_file(kEntries, "a comment that holds PK"), "FILE"));
  CHECK_NOTHROW(check_zip(zip_file(kEntries, "", /*in_64_bits=*/true), "FILE"));
}

TEST_CASE("a changed byte of what an entry holds is found, and its entry named") {
  const auto bytes = zip_file(kEntries);
  const auto flipped = [&](std::size_t at) {
    auto changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    return complaint(changed);
  };
  const auto data = bytes.find("xxx");
  CHECK_THAT(flipped(data + 100), ContainsSubstring("a/data does not fit its checksum"));
  const auto code = bytes.find("a/code") + 6;
  CHECK_THAT(flipped(code + 3), ContainsSubstring("a/code does not fit its checksum"));
}

TEST_CASE("every prefix of an archive is refused, and no changed byte does harm") {
  for (const bool in_64_bits : {false, true}) {
    const auto bytes = zip_file(kEntries, "", in_64_bits);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      CHECK(complaint(bytes.substr(0, size)).starts_with("FILE: "));
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (const int bit : {0x01, 0x80}) {
        auto changed = bytes;
        changed[at] = static_cast<char>(changed[at] ^ bit);
        complaint(changed);
      }
    }
  }
}

TEST_CASE("what is no archive, or an empty one, is refused") {
  CHECK_THAT(complaint(""), ContainsSubstring("is no zip archive"));
  CHECK_THAT(complaint(std::string(100000, 'P')), ContainsSubstring("is no zip archive"));
  CHECK_THAT(complaint(zip_file({})), ContainsSubstring("is an empty archive"));
}

}  // namespace
}  // namespace zoo
