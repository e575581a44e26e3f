#include "core/sha256.h"

#include "core/errors.h"
#include "tests/support/catch.h"

namespace zoo {

TEST_CASE("sha256 agrees with the examples of FIPS 180-2") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("to_hex and from_hex are inverse on every byte") {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  CHECK(to_hex(bytes).starts_with("000102"));
  CHECK(to_hex(bytes).ends_with("fdfeff"));
  CHECK(from_hex(to_hex(bytes)) == bytes);
}

TEST_CASE("from_hex refuses what is not pairs of hexadecimal digits") {
  CHECK_THROWS_AS(from_hex("abc"), UserError);
  CHECK_THROWS_AS(from_hex("0g"), UserError);
  CHECK_THROWS_AS(from_hex("0 "), UserError);
}

}  // namespace zoo
