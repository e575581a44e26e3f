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
