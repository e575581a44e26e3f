#include "vision/formats/label_text.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "vision/class_names.h"

namespace zoo {
namespace {

using Names = std::vector<std::string>;

Names sorted(Names names) {
  sort_class_names(names);
  return names;
}

}  // namespace

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

TEST_CASE("a label loses the spaces around it, and must be there") {
  CHECK(label_text(" a b\t", "FILE") == "a b");
  CHECK(message_of<UserError>([] { label_text(" \t", "FILE, line 2"); }) ==
        "FILE, line 2: the label is empty; fill it in, or remove it");
  CHECK(message_of<UserError>([] { label_text("a\x01", "FILE, line 2"); }) ==
        "FILE, line 2: the label is not UTF-8, or has control characters; write it in plain text");
}

TEST_CASE("classes that are whole numbers are in their order, others in that of their bytes") {
  CHECK(sorted({"10", "9", "0", "2"}) == Names{"0", "2", "9", "10"});
  CHECK(sorted({"010", "9", "09", "99999999999999999999", "0"}) ==
        Names{"0", "9", "09", "010", "99999999999999999999"});
  CHECK(sorted({"10", "9", "x"}) == Names{"10", "9", "x"});
  CHECK(sorted({"10", "9", "-1"}) == Names{"-1", "10", "9"});
  CHECK(sorted({"b", "a", "B"}) == Names{"B", "a", "b"});
}

}  // namespace zoo
