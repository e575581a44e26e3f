#include "text/text_cleaner.h"

#include "tests/support/catch.h"

namespace zoo {
namespace {

using Strings = std::vector<std::string>;

/// The parts after one cleaner saw them in this order, and then its notes.
Strings cleaned(Strings parts) {
  TextCleaner cleaner;
  for (auto& part : parts) cleaner.clean(part);
  cleaner.add_notes("FILE", parts);
  return parts;
}

}  // namespace

TEST_CASE("a cleaner removes the mark at the start and the CR of each CRLF, and tells of both") {
  CHECK(cleaned({"\xEF\xBB\xBF"
                 "a\r\nb\rc\r\n"}) == Strings{"a\nb\rc\n",
                                              "FILE: the byte-order mark at the start was removed.",
                                              "FILE: 2 line ends CRLF became LF."});
  CHECK(cleaned({"a\nb\r"}) == Strings{"a\nb\r"});
  CHECK(cleaned({""}) == Strings{""});
}

TEST_CASE("a cleaner counts over all parts and takes no mark from a later one") {
  CHECK(cleaned({"", "a\r\n", "\xEF\xBB\xBF\r\n"}) ==
        Strings{"", "a\n", "\xEF\xBB\xBF\n", "FILE: 2 line ends CRLF became LF."});
  CHECK(cleaned({"", "\xEF\xBB\xBF"}) ==
        Strings{"", "", "FILE: the byte-order mark at the start was removed."});
}

}  // namespace zoo
