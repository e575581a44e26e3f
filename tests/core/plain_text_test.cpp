#include "core/plain_text.h"

#include <nlohmann/json.hpp>

#include "tests/support/catch.h"

namespace zoo {

TEST_CASE("plain text is UTF-8 without control characters") {
  for (const auto* text : {"", "cat", "a b", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                           "\xED\x9F\xBF", "\xEE\x80\x80", "\xF4\x8F\xBF\xBF", "\xC2\xA0"}) {
    INFO(text);
    CHECK(is_plain_text(text));
  }
  for (const auto* text :
       {"a\nb", "\x1B[2J", "\x7F", "\xC2\x85", "\xFF", "\x80", "\xC3", "\xE2\x82", "\xC0\xAF",
        "\xE0\x80\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xF0\x80\x80\x80", "\xF5\x80\x80\x80",
        "\xE2\x28\xA1", "\xE2\x82\x28", "\xF0\x9F\x98\x28"}) {
    INFO(text);
    CHECK_FALSE(is_plain_text(text));
  }
  CHECK_FALSE(is_plain_text(std::string_view("\0", 1)));
}

TEST_CASE("text from anywhere is shown on one line of plain text") {
  CHECK(shown_text("") == "");
  CHECK(shown_text("Ka\xC4\x9F\xC4\xB1t") == "Ka\xC4\x9F\xC4\xB1t");
  CHECK(shown_text("a\nb\r\x1B[2J\x7F") == "a\\nb\\x0d\\x1b[2J\\x7f");
  CHECK(shown_text("\xC2\x9B\xFF\xC3") == "\\xc2\\x9b\\xff\\xc3");
  for (int byte = 0; byte < 256; ++byte) {
    CHECK(is_plain_text(shown_text(std::string(2, static_cast<char>(byte)) + "x")));
  }
}

TEST_CASE("long text is shown without its middle, its characters whole") {
  CHECK(shown_text("0123456789", 10) == "0123456789");
  CHECK(shown_text("0123456789a", 10) == "01234...6789a");
  const std::string letters = "\xC4\x9F\xC4\x9F\xC4\x9F\xC4\x9F";
  for (std::size_t most = 0; most < letters.size(); ++most) {
    INFO(most);
    CHECK(is_plain_text(shown_text(letters, most)));
    CHECK(shown_text(letters, most).size() <= most + 3);
  }
}

TEST_CASE("JSON is shown as it is written, arrays and objects by what they are") {
  using Json = nlohmann::json;
  CHECK(shown_json(nullptr) == "null");
  CHECK(shown_json(1.5) == "1.5");
  CHECK(shown_json("a\n\x7F") == "\"a\\n\\x7f\"");
  CHECK(shown_json(Json::array()) == "[]");
  CHECK(shown_json(Json::array({1})) == "an array");
  CHECK(shown_json(Json{{"a", 1}}) == "an object");
  CHECK(shown_json("\xFF") == "\"\xEF\xBF\xBD\"");
  CHECK(shown_json(std::string(1'000, 'x')).size() == 103);
}

}  // namespace zoo
