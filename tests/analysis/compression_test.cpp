#include "analysis/compression.h"

#include <stdexcept>
#include <string>

#include "core/files.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

/// Bytes that no compressor makes smaller.
std::string random_bytes(std::uint64_t seed, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) {
    bytes += static_cast<char>(random_below(mixed_seed(seed, i), 256));
  }
  return bytes;
}

}  // namespace

TEST_CASE("compressed sizes are those of the programs gzip and xz") {
  // gzip 1.12: gzip -9 -n <FILE | wc -c; XZ Utils 5.4.1: xz -9e <FILE | wc -c. Other releases may
  // choose otherwise here and there.
  const auto close_to = [](std::size_t size) {
    return Approx(static_cast<double>(size)).epsilon(0.0005);
  };
  const auto names = read_file("data/names.txt");
  CHECK(static_cast<double>(gzip_size(names)) == close_to(96'286));
  CHECK(static_cast<double>(xz_size(names)) == close_to(84'436));
}

TEST_CASE("nothing and a single byte cost the frame and the checksums, as in the programs") {
  CHECK(gzip_size("") == 20);
  CHECK(xz_size("") == 32);
  CHECK(gzip_size("a") == 21);
  CHECK(xz_size("a") == 60);
}

TEST_CASE("bytes compress alike in one part or two") {
  const auto bytes = random_bytes(1, 100'000) + std::string(200'000, 'a') + random_bytes(2, 70'000);
  for (const std::size_t cut : {1, 150'000, 370'000}) {
    INFO(cut);
    const auto first = std::string_view(bytes).substr(0, cut);
    const auto second = std::string_view(bytes).substr(cut);
    CHECK(gzip_size(first, second) == gzip_size(bytes));
    CHECK(xz_size(first, second) == xz_size(bytes));
  }
  // Both parts and no more: what is random costs its 8 bits, what is repeated nothing.
  CHECK(static_cast<double>(gzip_size(bytes)) == Approx(170'000).epsilon(0.01));
  CHECK(static_cast<double>(xz_size(bytes)) == Approx(170'000).epsilon(0.01));
}

TEST_CASE("held-out text costs nothing where the training text has it, 8 bits where it is random") {
  const auto train = random_bytes(3, 20'000);
  for (const auto size : {gzip_size, xz_size}) {
    CHECK(bits_per_character(size, train, train, train.size()) < 0.2);
    CHECK(bits_per_character(size, train, random_bytes(4, 20'000), 20'000) ==
          Approx(8.0).epsilon(0.01));
    CHECK(bits_per_character(size, train, random_bytes(4, 20'000), 10'000) ==
          Approx(16.0).epsilon(0.01));  // characters of two bytes
    CHECK(bits_per_character(size, train, "", 1) == 0.0);
  }
}

TEST_CASE("xz remembers what lies further back than gzip's 32 KiB") {
  const auto train = random_bytes(5, 100'000);
  const auto held_out = train.substr(0, 20'000);
  CHECK(bits_per_character(gzip_size, train, held_out, 20'000) > 7.9);
  CHECK(bits_per_character(xz_size, train, held_out, 20'000) < 0.3);
}

TEST_CASE("a held-out text of no characters has no bits per character") {
  CHECK(message_of<std::invalid_argument>([] { bits_per_character(gzip_size, "a", "", 0); }) ==
        "compression: a held-out text of no characters");
}

}  // namespace zoo
