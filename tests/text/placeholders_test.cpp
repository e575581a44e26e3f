#include "text/placeholders.h"

#include "tests/support/catch.h"

namespace zoo {
namespace {

using Found = std::vector<std::string>;

}  // namespace

TEST_CASE("placeholders of printf are found with flags, widths, lengths and names") {
  CHECK(placeholders_of("%s: %d of %5.2f, %-*lu, %#zx, %hhd") ==
        Found{"%#zx", "%-*lu", "%5.2f", "%d", "%hhd", "%s"});
  CHECK(placeholders_of("%(count)d files in %(a.b)s") == Found{"%(a.b)s", "%(count)d"});
  CHECK(placeholders_of("%s and %s") == Found{"%s", "%s"});
}

TEST_CASE("the position of a placeholder is left out, as translations reorder by it") {
  CHECK(placeholders_of("%2$s, %1$-5d") == placeholders_of("%-5d, %s"));
}

TEST_CASE("placeholders in braces are found with and without names and formats") {
  CHECK(placeholders_of("{} {0} {name} {a.b:>8} {x!r}") ==
        Found{"{0}", "{a.b:>8}", "{name}", "{x!r}", "{}"});
}

TEST_CASE("percent signs and braces of plain text are no placeholders") {
  for (const auto* text : {"100 % sure", "100%", "100 %% %%s", "%50'si", "%(no name", "%()s",
                           "{a, b}", "{ }", "{", "}", "%", "{a: b}", "%5$", "ışık %ı"}) {
    INFO(text);
    CHECK(placeholders_of(text).empty());
  }
}

}  // namespace zoo
