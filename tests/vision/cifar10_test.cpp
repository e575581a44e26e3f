#include "vision/formats/cifar10.h"

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

constexpr const char* kNames =
    "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n";

std::string record(char label, char pixel) { return label + std::string(3072, pixel); }

std::string error_of(const std::string& bytes) {
  return message_of<UserError>([&] { parse_cifar10(bytes, "FILE"); });
}

std::string names_error(const std::string& text) {
  return message_of<UserError>([&] { parse_cifar10_names(text, "FILE"); });
}

}  // namespace

TEST_CASE("a batch of CIFAR-10 gives labels and images") {
  const auto bytes = record(3, 'a') + record(9, 'b');
  const auto batch = parse_cifar10(bytes, "FILE");
  CHECK(batch.labels == std::vector<std::uint8_t>{3, 9});
  REQUIRE(batch.images.size() == 2);
  CHECK(batch.images[0] == std::string(3072, 'a'));
  CHECK(batch.images[1] == std::string(3072, 'b'));
}

TEST_CASE("a batch that is not whole records is refused with its size") {
  CHECK(error_of(record(1, 'a') + "x") ==
        "FILE: 3074 bytes; CIFAR-10's binary version has records of 3073 bytes, a label and 3 x 32 "
        "x 32 pixels; get the file again");
  CHECK_THAT(error_of(""), ContainsSubstring("FILE: 0 bytes"));
}

TEST_CASE("a label above 9 is refused with its record") {
  CHECK(error_of(record(9, 'a') + record(10, 'a')) ==
        "FILE, record 2: label 10; CIFAR-10 has 0 to 9, so this is another file or a broken one");
  CHECK_THAT(error_of(record('\xFF', 'a')), ContainsSubstring("record 1: label 255"));
}

TEST_CASE("the archive of the batches is refused") {
  CHECK(error_of(gzip_file("a")) == "FILE: packed with gzip; unpack it first (tar -xzf)");
}

TEST_CASE("the names of the classes are ten lines") {
  const auto names = parse_cifar10_names(kNames, "FILE");
  CHECK(names[0] == "airplane");
  CHECK(names[9] == "truck");
  CHECK(parse_cifar10_names(kNames + std::string("\r\n\n"), "FILE") == names);
  CHECK(names_error("a\nb\n") == "FILE: 2 names; CIFAR-10 has 10 classes, a name a line");
  CHECK(names_error(kNames + std::string("\nplane")) ==
        "FILE, line 12: one name too many; CIFAR-10 has 10 classes");
  CHECK(names_error("a\nb\na\n") ==
        "FILE, line 3: a is there already; classes have different names");
  CHECK_THAT(names_error("a\n\xFF\n"), ContainsSubstring("FILE, line 2: the label is not UTF-8"));
}

}  // namespace zoo
