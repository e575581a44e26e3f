#include "text/utf8.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

std::string decode_message(const std::string& text) {
  return message_of<UserError>([&] { decode_utf8(text, "a.txt"); });
}

}  // namespace

TEST_CASE("decode_utf8 gives the code points of one to four bytes") {
  CHECK(decode_utf8("aé€😀", "t") == std::vector<char32_t>{U'a', U'é', U'€', U'😀'});
  CHECK(decode_utf8(std::string("\0", 1), "t") == std::vector<char32_t>{0});
  CHECK(decode_utf8("", "t").empty());
}

TEST_CASE("append_utf8 is the inverse of decode_utf8 for every code point") {
  std::string text;
  std::vector<char32_t> expected;
  for (char32_t character = 0; character < 0x110000; ++character) {
    if (character == 0xD800) character = 0xE000;  // surrogates are no characters
    append_utf8(text, character);
    expected.push_back(character);
  }
  CHECK((decode_utf8(text, "t") == expected));
}

TEST_CASE("decode_utf8 names the offset of the first byte that is not UTF-8") {
  CHECK(decode_message("ab\xFF") ==
        "a.txt: not UTF-8 at byte offset 2; save it with the encoding UTF-8");
  for (const auto* wrong : {"\x80", "\xC3", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                            "\xE2\x82", "\xF8\x88\x80\x80\x80"}) {
    CHECK_THAT(decode_message(std::string("é") + wrong), ContainsSubstring("byte offset 2;"));
  }
}

TEST_CASE("shown quotes what can be seen and numbers what cannot") {
  CHECK(shown(U'e') == "\"e\" (U+0065)");
  CHECK(shown(U'é') == "\"é\" (U+00E9)");
  CHECK(shown(U'😀') == "\"😀\" (U+1F600)");
  CHECK(shown(U'\n') == "U+000A");
  CHECK(shown(U' ') == "U+0020");
  CHECK(shown(0x0301) == "U+0301");  // an accent that would stand on the quotation mark
  CHECK(shown(0x200B) == "U+200B");
}

}  // namespace zoo
