#include "vision/formats/idx.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { parse_idx(bytes, "FILE"); });
}

}  // namespace

TEST_CASE("an idx file gives its sizes and its values") {
  const auto bytes = idx_file({2, 1, 3}, "abcdef");
  const auto array = parse_idx(bytes, "FILE");
  CHECK(array.sizes == std::vector<std::int64_t>{2, 1, 3});
  CHECK(array.values == "abcdef");
  CHECK(parse_idx(idx_file({4}, "abcd"), "FILE").sizes == std::vector<std::int64_t>{4});
  CHECK(parse_idx(idx_file({1, 1, 1, 1}, "a"), "FILE").sizes.size() == 4);
  CHECK(parse_idx(idx_file({0, 28, 28}, ""), "FILE").values.empty());
}

TEST_CASE("what is no idx file is refused with how it begins") {
  CHECK(error_of("hello") ==
        "FILE: no idx file: it starts with '68656c6c'; expected 0000, 08 for unsigned bytes, and "
        "the number of dimensions");
  CHECK_THAT(error_of(""), ContainsSubstring("it starts with ''"));
  CHECK_THAT(error_of(std::string("\0\0\x08", 3)), ContainsSubstring("it starts with '000008'"));
  CHECK_THAT(error_of(idx_file({1}, "a", 7)), ContainsSubstring("it starts with '00000701'"));
}

TEST_CASE("values of other types are refused by their name") {
  const std::pair<char, std::string> types[] = {{0x09, "signed bytes"},
                                                {0x0B, "16-bit integers"},
                                                {0x0C, "32-bit integers"},
                                                {0x0D, "32-bit floats"},
                                                {0x0E, "64-bit floats"}};
  for (const auto& [type, name] : types) {
    CHECK(error_of(idx_file({1}, "a", type)) ==
          "FILE: idx file of " + name + "; unsigned bytes are read, so convert it");
  }
}

TEST_CASE("no dimension, and more than four, are refused") {
  CHECK(error_of(idx_file({}, "")) == "FILE: idx file of 0 dimensions; 1 to 4 are read");
  CHECK_THAT(error_of(idx_file({1, 1, 1, 1, 1}, "a")), ContainsSubstring("of 5 dimensions"));
}

TEST_CASE("a header that is cut short is refused") {
  CHECK(error_of(idx_file({1, 2}, "ab").substr(0, 11)) ==
        "FILE: cut short: 11 bytes, and its header alone has 12; get the file again");
}

TEST_CASE("a header that lies about the number of values is refused with both numbers") {
  CHECK(error_of(idx_file({2, 2}, "abc")) ==
        "FILE: its header announces 4 bytes of values, it has 3; get the file again");
  CHECK_THAT(error_of(idx_file({2, 2}, "abcde")),
             ContainsSubstring("announces 4 bytes of values, it has 5"));
  CHECK_THAT(error_of(idx_file({0, 4}, "a")),
             ContainsSubstring("announces 0 bytes of values, it has 1"));
}

TEST_CASE("sizes that overflow are refused") {
  CHECK(error_of(idx_file({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "")) ==
        "FILE: its sizes multiply to more than 64 bits hold");
  CHECK_THAT(error_of(idx_file({0x80000000, 0x80000000, 4}, "")),
             ContainsSubstring("more than 64 bits"));
  CHECK_THAT(error_of(idx_file({0xFFFFFFFF, 0x7FFFFFFF}, "")), ContainsSubstring("announces"));
}

}  // namespace zoo
