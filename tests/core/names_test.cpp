#include "core/names.h"

#include "tests/support/catch.h"

namespace zoo {

TEST_CASE("edit_distance counts insertions, deletions, substitutions and swaps of neighbours") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("n_haeds", "n_heads") == 1);
  CHECK(edit_distance("ca", "abc") == 3);  // restricted: a swapped pair is not edited again
}

TEST_CASE("nearest_name finds the likely slip and nothing far away") {
  const std::vector<std::string> known = {"d_model", "n_heads", "n_layers", "lr"};
  CHECK(nearest_name("n_head", known) == "n_heads");
  CHECK(nearest_name("layers", known) == "n_layers");
  CHECK(nearest_name("xyz", known).empty());
  CHECK(nearest_name("ab", known).empty());  // two edits, but nothing in common with "lr"
  CHECK(nearest_name("n_heads", {}).empty());
}

TEST_CASE("did_you_mean is a clause or nothing") {
  CHECK(did_you_mean("n_head", {"n_heads"}) == "; did you mean n_heads?");
  CHECK(did_you_mean("zzz", {"n_heads"}).empty());
}

TEST_CASE("join puts the separator between the parts") {
  CHECK(join({}, ", ").empty());
  CHECK(join({"a"}, ", ") == "a");
  CHECK(join({"a", "b", "c"}, ", ") == "a, b, c");
}

}  // namespace zoo
