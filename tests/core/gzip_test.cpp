#include "core/gzip.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/gzip_file.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

std::string unpacked(const std::string& bytes, std::size_t most = 1 << 20) {
  return gunzip(bytes, "FILE", most);
}

std::string error_of(const std::string& bytes, std::size_t most = 1 << 20) {
  return message_of<UserError>([&] { unpacked(bytes, most); });
}

/// Text that does not pack to almost nothing.
std::string varied_text(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i) + " ";
  return text.substr(0, size);
}

}  // namespace

TEST_CASE("gzip data are known by their first two bytes") {
  CHECK(is_gzip(gzip_file("a")));
  CHECK_FALSE(is_gzip("\x1F"));
  CHECK_FALSE(is_gzip(""));
  CHECK_FALSE(is_gzip("a\x1F\x8B"));
}

TEST_CASE("gzip data are unpacked, of any size, empty too") {
  for (const std::size_t size : {0, 1, 65'535, 65'536, 65'537, 300'000}) {
    const auto text = varied_text(size);
    CHECK(unpacked(gzip_file(text)) == text);
  }
}

TEST_CASE("several members are unpacked one after the other") {
  const auto text = varied_text(70'000);
  CHECK(unpacked(gzip_file(text) + gzip_file("") + gzip_file("end")) == text + "end");
}

TEST_CASE("as many bytes as are allowed are unpacked, and not one more") {
  const auto packed = gzip_file(varied_text(100'000));
  CHECK(unpacked(packed, 100'000).size() == 100'000);
  CHECK(error_of(packed, 99'999) ==
        "FILE: unpacked it has more than 99999 bytes, the most that are read; split it");
  CHECK_THAT(error_of(gzip_file("a") + gzip_file("b"), 1), ContainsSubstring("more than 1 bytes"));
  CHECK_THAT(error_of(gzip_file(std::string(std::size_t{1} << 24, 'a')), 1000),
             ContainsSubstring("more than 1000 bytes"));
}

TEST_CASE("gzip data that are cut short at any place are refused") {
  const auto packed = gzip_file(varied_text(500));
  for (std::size_t size = 2; size < packed.size(); ++size) {
    INFO(size);
    CHECK(error_of(packed.substr(0, size)) ==
          text_of("FILE: gzip data cut short after ", size, " bytes; get the file again"));
  }
  CHECK_THAT(error_of(packed + packed.substr(0, 20)), ContainsSubstring("cut short"));
}

TEST_CASE("gzip data with a changed byte are refused or say the same") {
  const auto text = varied_text(500);
  const auto packed = gzip_file(text);
  int refused = 0;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    auto changed = packed;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    std::string result;
    const auto error = message_of<UserError>([&] { result = unpacked(changed); });
    INFO(at << ": " << error);
    if (error == "(nothing was thrown)") {
      CHECK(result == text);  // a time, a file system
    } else {
      ++refused;
    }
  }
  CHECK(refused > static_cast<int>(packed.size()) - 12);
}

TEST_CASE("a wrong checksum is refused with its place") {
  auto packed = gzip_file("hello");
  packed[packed.size() - 8] ^= 1;
  CHECK(error_of(packed) ==
        "FILE: broken gzip data near byte 21 (incorrect data check); get the "
        "file again");
  packed = gzip_file("hello");
  packed.back() = 1;
  CHECK_THAT(error_of(packed), ContainsSubstring("incorrect length check"));
}

TEST_CASE("what is no gzip data is refused") {
  CHECK(error_of("hello") == "FILE: no gzip data: it starts with '6865'; expected '1f8b'");
  CHECK_THAT(error_of(""), ContainsSubstring("it starts with ''"));
}

TEST_CASE("something else behind gzip data is refused with its place") {
  const auto packed = gzip_file("hello");
  CHECK(error_of(packed + "tail") ==
        text_of("FILE: behind its gzip data, from byte ", packed.size(),
                " on, is something else; remove that, or get the file again"));
  CHECK_THAT(error_of(packed + "\x1F tail"), ContainsSubstring("broken gzip data"));
}

}  // namespace zoo
