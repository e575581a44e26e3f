#include "core/options.h"

#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

enum class Colour { kRed, kDarkBlue };
EnumNames<Colour> names_of(Colour) {
  return {{"red", Colour::kRed}, {"dark_blue", Colour::kDarkBlue}};
}

struct Sample {
  bool on = false;
  std::int64_t size = 4;
  double rate = 0.5;
  std::string title = "none";
  Colour colour = Colour::kRed;
  std::array<double, 2> betas = {0.9, 0.99};
  std::vector<std::int64_t> sizes;
  std::optional<std::int64_t> seed;
  std::optional<Colour> other;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("on", self.on, "Whether.");
    visit("size", self.size, "How many.", at_least(1));
    visit("rate", self.rate, "How much.", at_least(0).below(1));
    visit("title", self.title, "Which.");
    visit("colour", self.colour, "What colour.");
    visit("betas", self.betas, "Two numbers.", above(0).below(1));
    visit("sizes", self.sizes, "Some numbers.");
    visit("seed", self.seed, "Perhaps a seed.", at_least(0).up_to(9));
    visit("other", self.other, "Perhaps a colour.");
  }
  void validate(const std::string& path) const {
    require<ConfigError>(!on || size > 1, path, ".size: 1 with on true");
  }
};

Sample read(const std::string& json) {
  return read_options<Sample>(nlohmann::json::parse(json), "sample");
}

std::string read_message(const std::string& json) {
  return message_of<ConfigError>([&] { read(json); });
}

}  // namespace

TEST_CASE("an empty object gives the defaults") {
  CHECK(write_options(read("{}")) == write_options(Sample{}));
}

TEST_CASE("options are read by name and written back the same") {
  const auto json = nlohmann::json::parse(
      R"({"on": true, "size": 7, "rate": 0.25, "title": "x", "colour": "dark_blue",
          "betas": [0.5, 0.75], "sizes": [3, 1], "seed": 9, "other": "red"})");
  const auto sample = read_options<Sample>(json, "sample");
  CHECK(sample.on);
  CHECK(sample.size == 7);
  CHECK(sample.colour == Colour::kDarkBlue);
  CHECK(sample.sizes == std::vector<std::int64_t>{3, 1});
  CHECK(sample.seed == 9);
  CHECK(sample.other == Colour::kRed);
  CHECK(write_options(sample) == json);
}

TEST_CASE("an unset optional is left out when options are written") {
  const auto json = write_options(Sample{});
  CHECK(json.size() == 7);
  CHECK_FALSE(json.contains("seed"));
}

TEST_CASE("a value of the wrong type is refused, never converted") {
  CHECK(read_message(R"({"size": 2.5})") == "sample.size: got 2.5; expected an integer such as 4");
  CHECK(read_message(R"({"size": true})") ==
        "sample.size: got true; expected an integer such as 4");
  CHECK(read_message(R"({"size": "4"})") ==
        "sample.size: got \"4\"; expected an integer such as 4");
  CHECK(read_message(R"({"size": 9223372036854775808})") ==
        "sample.size: got 9223372036854775808; expected an integer such as 4");
  CHECK(read_message(R"({"on": 1})") == "sample.on: got 1; expected a boolean such as false");
  CHECK(read_message(R"({"rate": "0.1"})") ==
        "sample.rate: got \"0.1\"; expected a number such as 0.5");
  CHECK(read_message(R"({"title": 3})") ==
        "sample.title: got 3; expected a string such as \"none\"");
  CHECK(read_message(R"({"title": null})") ==
        "sample.title: got null; expected a string such as \"none\"");
  CHECK_THAT(read_message(R"({"betas": [0.9]})"), ContainsSubstring("sample.betas: got [0.9]"));
  CHECK_THAT(read_message(R"({"betas": [0.9, 0.9, 0.9]})"), ContainsSubstring("sample.betas"));
  CHECK_THAT(read_message(R"({"sizes": [1, 2.5]})"), ContainsSubstring("sample.sizes"));
  CHECK(read("{\"rate\": 0}").rate == 0);
}

TEST_CASE("a section that is not an object is refused") {
  CHECK(read_message("[1]") == "sample: expected an object, got [1]");
}

TEST_CASE("a number outside its range is refused with the range") {
  CHECK(read_message(R"({"size": 0})") == "sample.size: 0 is outside >= 1");
  CHECK(read_message(R"({"rate": 1})") == "sample.rate: 1 is outside [0, 1)");
  CHECK(read_message(R"({"betas": [0.5, 0]})") == "sample.betas: [0.5,0] is outside (0, 1)");
  CHECK(read_message(R"({"seed": 10})") == "sample.seed: 10 is outside [0, 9]");
}

TEST_CASE("an unknown choice is refused with the choices and the nearest one") {
  CHECK(read_message(R"({"colour": "rad"})") ==
        "sample.colour: got \"rad\"; choose one of red, dark_blue; did you mean red?");
  CHECK(read_message(R"({"colour": 3})") == "sample.colour: got 3; choose one of red, dark_blue");
}

TEST_CASE("an unknown key is refused with the nearest known one") {
  CHECK(read_message(R"({"sise": 3})") == "sample.sise: unknown option; did you mean size?");
  CHECK_THAT(read_message(R"({"quux": 3})"),
             ContainsSubstring("sample.quux: unknown option; known options: on, size, rate"));
}

TEST_CASE("rules between fields are checked after reading") {
  CHECK(read_message(R"({"on": true, "size": 1})") == "sample.size: 1 with on true");
}

TEST_CASE("describe_options has one row a field with type, choices, default and range") {
  const auto rows = describe_options<Sample>();
  REQUIRE(rows.size() == 9);
  CHECK(rows[0].name == "on");
  CHECK(rows[0].type == "boolean");
  CHECK(rows[1].help == "How many.");
  CHECK(rows[1].range.text() == ">= 1");
  CHECK(rows[4].type == "string");
  CHECK(rows[4].choices == std::vector<std::string>{"red", "dark_blue"});
  CHECK(rows[4].default_value == "red");
  CHECK(rows[5].type == "array");
  CHECK(rows[5].item_type == "number");
  CHECK(rows[7].type == "integer");
  CHECK(rows[7].default_value.is_null());
  CHECK(rows[8].choices.size() == 2);
}

TEST_CASE("schema_of describes every option and allows no other") {
  const auto schema = schema_of(describe_options<Sample>());
  CHECK(schema["additionalProperties"] == false);
  const auto& properties = schema["properties"];
  CHECK(properties.size() == 9);
  CHECK(properties["size"].dump() ==
        R"({"default":4,"description":"How many.","minimum":1,"type":"integer"})");
  CHECK(properties["rate"]["exclusiveMaximum"] == 1);
  CHECK(properties["colour"]["enum"] == nlohmann::json({"red", "dark_blue"}));
  CHECK(properties["betas"]["items"].dump() ==
        R"({"exclusiveMaximum":1,"exclusiveMinimum":0,"type":"number"})");
  CHECK_FALSE(properties["seed"].contains("default"));
}

TEST_CASE("a range holds what it says and never NaN") {
  CHECK(Range{}.holds(-1e300));
  CHECK(Range{}.text().empty());
  CHECK_FALSE(Range{}.holds(std::numeric_limits<double>::quiet_NaN()));
  CHECK(above(0).up_to(1).holds(1));
  CHECK_FALSE(above(0).up_to(1).holds(0));
  CHECK(above(0).up_to(1).text() == "(0, 1]");
  CHECK(above(0.5).text() == "> 0.5");
  CHECK(Range{}.up_to(2).text() == "<= 2");
  CHECK(Range{}.below(2).text() == "< 2");
}

TEST_CASE("name_of is the inverse of reading and refuses a value without a name") {
  CHECK(name_of(Colour::kDarkBlue) == "dark_blue");
  CHECK_THROWS_AS(name_of(static_cast<Colour>(7)), std::logic_error);
}

}  // namespace zoo
