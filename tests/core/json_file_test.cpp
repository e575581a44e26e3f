#include "core/json_file.h"

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

std::string parse_message(const std::string& text) {
  return message_of<UserError>([&] { parse_json(text, "a.json"); });
}

}  // namespace

TEST_CASE("parse_json accepts comments") {
  const auto json = parse_json("// one\n{\"a\": /* two */ [1, true]} // three", "a.json");
  CHECK(json.dump() == R"({"a":[1,true]})");
}

TEST_CASE("parse_json names the line and column of a mistake") {
  CHECK_THAT(parse_message("{\n  \"a\": 1,\n  \"b\": oops\n}"),
             ContainsSubstring("a.json: not JSON at line 3, column 8"));
  CHECK_THAT(parse_message("{\"a\" 1}"), ContainsSubstring("a.json: not JSON at line 1, column 6"));
  CHECK_THAT(parse_message(""), ContainsSubstring("a.json: not JSON at line 1, column 1"));
  CHECK_THAT(parse_message("{} {}"), ContainsSubstring("line 1, column 4"));
}

TEST_CASE("parse_json refuses a key that stands twice in one object") {
  CHECK(parse_message(R"({"a": {"b": 1, "b": 2}})") ==
        R"(a.json: the key "b" stands twice in one object; keep one)");
  CHECK(parse_json(R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})", "a.json").size() == 2);
}

TEST_CASE("parse_json refuses numbers that no double holds") {
  CHECK(parse_message("[1, -1e999]") == "a.json: not JSON: number overflow parsing '-1e999'");
  CHECK(parse_json("[1e-999]", "a.json").at(0) == 0.0);
}

TEST_CASE("parse_json refuses to go so deep that the stack would not do") {
  const auto nested = [](std::size_t levels) {
    return std::string(levels, '[') + std::string(levels, ']');
  };
  CHECK(parse_json(nested(100), "a.json").size() == 1);
  CHECK(parse_json(nested(99).insert(99, R"({"a": 1})"), "a.json").size() == 1);
  CHECK(parse_message(nested(101)) == "a.json: nested deeper than 100 levels");
  CHECK(parse_message(nested(1'000'000)) == "a.json: nested deeper than 100 levels");
}

TEST_CASE("parse_json keeps its messages on one line whatever a key is") {
  CHECK(parse_message(R"({"a\nb": 1, "a\nb": 2})") ==
        R"(a.json: the key "a\nb" stands twice in one object; keep one)");
}

TEST_CASE("read_json_file names the file that is missing or broken") {
  const TemporaryFolder folder;
  const auto path = folder / "config.json";
  CHECK(message_of<UserError>([&] { read_json_file(path); }) ==
        "cannot read " + path.string() + ": No such file or directory");
  replace_file(path, "[1,]");
  CHECK_THAT(message_of<UserError>([&] { read_json_file(path); }),
             ContainsSubstring(path.string() + ": not JSON at line 1, column 4"));
}

}  // namespace zoo
