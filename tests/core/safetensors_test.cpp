#include "core/safetensors.h"

#include <algorithm>
#include <set>
#include <stdexcept>

#include "core/errors.h"
#include "core/random.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

const std::vector<std::string> kDtypes = {"BOOL", "U8",  "I8",   "I16", "I32",
                                          "I64",  "F16", "BF16", "F32", "F64"};

/// A file of this header, padded to a multiple of 8, and so many bytes of data.
std::string file_of(std::string header, std::size_t data) {
  header.append((8 - header.size() % 8) % 8, ' ');
  std::string file(8, '\0');
  file[0] = static_cast<char>(header.size() & 0xFF);
  file[1] = static_cast<char>(header.size() >> 8 & 0xFF);
  file[2] = static_cast<char>(header.size() >> 16 & 0xFF);
  file[3] = static_cast<char>(header.size() >> 24 & 0xFF);
  return file + header + std::string(data, 'x');
}

std::string parse_message(const std::string& file) {
  return message_of<UserError>([&] { parse_safetensors(file, "m"); });
}

std::string header_message(const std::string& header, std::size_t data = 0) {
  return parse_message(file_of(header, data));
}

/// The message for one tensor "a" with this dtype, shape and offsets.
std::string tensor_message(const std::string& dtype, const std::string& shape,
                           const std::string& offsets, std::size_t data) {
  return header_message(R"({"a":{"dtype":")" + dtype + R"(","shape":)" + shape +
                            R"(,"data_offsets":)" + offsets + "}}",
                        data);
}

/// A stream of small random numbers.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : seed_(seed) {}
  std::int64_t below(std::int64_t bound) {
    return random_below(mixed_seed(seed_, count_++), bound);
  }

 private:
  std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

std::string random_text(Numbers& numbers) {
  static const std::vector<std::string> kPieces = {"a", ".", "\"", "\\", "\n", "é", "€", "😀", ""};
  std::string text;
  for (auto i = numbers.below(6); i >= 0; --i) {
    text += kPieces[static_cast<std::size_t>(numbers.below(9))];
  }
  return text;
}

}  // namespace

TEST_CASE("the bytes of a small file are those of Hugging Face's writer") {
  const std::string data = "\x01\x02\x03\x04";
  const auto file = write_safetensors({{"b", "U8", {2, 2}, data}}, {});
  const std::string header = R"({"b":{"data_offsets":[0,4],"dtype":"U8","shape":[2,2]}})";
  CHECK(file == std::string("\x38\0\0\0\0\0\0\0", 8) + header + std::string(1, ' ') + data);
}

TEST_CASE("tensors are written by falling element size, then name, from a multiple of 8") {
  const std::string one(1, '1'), two(2, '2'), eight(8, '8');
  const auto file = write_safetensors({{"z", "U8", {1}, one},
                                       {"b", "F16", {1}, two},
                                       {"a", "BF16", {}, two},
                                       {"y", "I64", {1, 1}, eight}},
                                      {{"format", "pt"}});
  const auto parsed = parse_safetensors(file, "m");
  std::vector<std::string> names;
  for (const auto& tensor : parsed.tensors) names.push_back(tensor.name);
  CHECK(names == std::vector<std::string>{"y", "a", "b", "z"});
  CHECK((parsed.tensors[0].bytes.data() - file.data()) % 8 == 0);
  CHECK(parsed.metadata.at("format") == "pt");
}

TEST_CASE("what is written reads back the same, for 1,000 random files") {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    Numbers numbers(seed);
    std::map<std::string, std::string> metadata;
    for (auto i = numbers.below(3); i > 0; --i)
      metadata[random_text(numbers)] = random_text(numbers);
    std::vector<std::string> contents(static_cast<std::size_t>(numbers.below(6)));
    std::map<std::string, TensorEntry> expected;
    for (auto& content : contents) {
      TensorEntry tensor{
          random_text(numbers), kDtypes[static_cast<std::size_t>(numbers.below(10))], {}, {}};
      auto size = bytes_of_dtype(tensor.dtype);
      for (auto rank = numbers.below(4); rank > 0; --rank) {
        tensor.shape.push_back(numbers.below(4));
        size *= tensor.shape.back();
      }
      while (static_cast<std::int64_t>(content.size()) < size) {
        content += static_cast<char>(numbers.below(256));
      }
      tensor.bytes = content;
      expected[tensor.name] = tensor;
    }
    std::vector<TensorEntry> tensors;
    for (const auto& [name, tensor] : expected) tensors.push_back(tensor);

    const auto file = write_safetensors(tensors, metadata);
    const auto parsed = parse_safetensors(file, "m");
    REQUIRE(parsed.metadata == metadata);
    REQUIRE(parsed.tensors.size() == expected.size());
    for (const auto& tensor : parsed.tensors) {
      const auto& same = expected.at(tensor.name);
      REQUIRE(tensor.dtype == same.dtype);
      REQUIRE(tensor.shape == same.shape);
      REQUIRE(tensor.bytes == same.bytes);
    }
    REQUIRE(write_safetensors(parsed.tensors, parsed.metadata) == file);
  }
}

TEST_CASE("a file without tensors, and scalars and empty tensors, are allowed") {
  CHECK(parse_safetensors(file_of("{}", 0), "m").tensors.empty());
  CHECK(tensor_message("F32", "[]", "[0,4]", 4) == "(nothing was thrown)");
  CHECK(tensor_message("F32", "[3,0]", "[0,0]", 0) == "(nothing was thrown)");
}

TEST_CASE("a file whose header has no place is refused") {
  CHECK(parse_message("1234567") == "m: 7 bytes are too few for a safetensors file; is it whole?");
  CHECK(parse_message(std::string("\x05\0\0\0\0\0\0\0{}", 10)) ==
        "m: the header claims 5 bytes, the file has 2 after its length");
  CHECK(parse_message(std::string(8, '\xFF') + "{}") ==
        "m: the header claims 18446744073709551615 bytes; at most 16777216 are read");
  CHECK(parse_message(std::string("\x01\0\0\x01\0\0\0\0", 8)) ==
        "m: the header claims 16777217 bytes; at most 16777216 are read");
}

TEST_CASE("a header that is not one JSON object is refused") {
  CHECK(parse_message(std::string(8, '\0')) == "m: the header does not begin with {");
  CHECK(header_message(" {}") == "m: the header does not begin with {");
  CHECK(header_message("[]") == "m: the header does not begin with {");
  CHECK(header_message("{") == "m: the header is not JSON at its byte 9");
  CHECK(header_message("{} {}") == "m: the header is not JSON at its byte 4");
  CHECK(header_message("{\"\xFF\":1}") == "m: the header is not JSON at its byte 3");
}

TEST_CASE("a tensor's entry has three keys, each once and of its kind") {
  CHECK(header_message(R"({"a":1})") == R"(m: tensor "a": a number is not allowed here)");
  CHECK(header_message(R"({"a":[]})") == R"(m: tensor "a": an array is not allowed here)");
  CHECK(header_message(R"({"a":{}})") == R"(m: tensor "a": dtype is missing)");
  CHECK(header_message(R"({"a":{"dtype":"U8","shape":[]}})") ==
        R"(m: tensor "a": data_offsets is missing)");
  CHECK(header_message(R"({"a":{"kind":1}})") ==
        R"(m: tensor "a": unknown key "kind"; known: dtype, shape, data_offsets)");
  CHECK(header_message(R"({"a":{"shape":[],"shape":[]}})") ==
        R"(m: tensor "a": shape stands twice)");
  CHECK(header_message(R"({"a":{"dtype":null}})") ==
        R"(m: tensor "a": null is not allowed in "dtype")");
  CHECK(header_message(R"({"a":{"dtype":true}})") ==
        R"(m: tensor "a": a boolean is not allowed in "dtype")");
  CHECK(header_message(R"({"a":{"dtype":["U8"]}})") ==
        R"(m: tensor "a": an array is not allowed in "dtype")");
  CHECK(header_message(R"({"a":{"shape":"1"}})") ==
        R"(m: tensor "a": a string is not allowed in "shape")");
  CHECK(header_message(R"({"a":{"shape":{}}})") ==
        R"(m: tensor "a": an object is not allowed in "shape")");
  CHECK(header_message(R"({"a":{"shape":[[1]]}})") ==
        R"(m: tensor "a": an array is not allowed in "shape")");
}

TEST_CASE("a name or a metadata key that stands twice is refused") {
  const std::string empty = R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  CHECK(header_message(R"({"a":)" + empty + R"(,"a":)" + empty + "}") ==
        R"(m: tensor "a": the name stands twice in the header)");
  CHECK(header_message(R"({"__metadata__":{},"__metadata__":{}})") ==
        "m: __metadata__: the name stands twice in the header");
  CHECK(header_message(R"({"__metadata__":{"k":"1","k":"2"}})") ==
        R"(m: __metadata__: the key "k" stands twice)");
}

TEST_CASE("metadata maps strings to strings only") {
  CHECK(header_message(R"({"__metadata__":{"k":1}})") ==
        R"(m: __metadata__: a number is not allowed in "k")");
  CHECK(header_message(R"({"__metadata__":{"k":-1.5}})") ==
        R"(m: __metadata__: a number is not allowed in "k")");
  CHECK(header_message(R"({"__metadata__":{"k":{}}})") ==
        R"(m: __metadata__: an object is not allowed in "k")");
  CHECK(header_message(R"({"__metadata__":"k"})") ==
        "m: __metadata__: a string is not allowed here");
}

TEST_CASE("a dtype that is not supported is refused by name") {
  CHECK(tensor_message("F8_E4M3", "[1]", "[0,1]", 1) ==
        R"(m: tensor "a": the dtype "F8_E4M3" is not supported)");
  CHECK(tensor_message("f32", "[1]", "[0,4]", 4) ==
        R"(m: tensor "a": the dtype "f32" is not supported)");
  CHECK(bytes_of_dtype("C64") == 0);
}

TEST_CASE("sizes are whole numbers that do not overflow") {
  CHECK(tensor_message("U8", "[-1]", "[0,1]", 1) == R"(m: tensor "a": -1 is negative)");
  CHECK(tensor_message("U8", "[1.0]", "[0,1]", 1) ==
        R"(m: tensor "a": 1.0 is not a whole number of 63 bits)");
  CHECK(tensor_message("U8", "[9223372036854775808]", "[0,1]", 1) ==
        R"(m: tensor "a": 9223372036854775808 in shape does not fit in 63 bits)");
  CHECK(tensor_message("U8", "[99999999999999999999]", "[0,1]", 1) ==
        R"(m: tensor "a": 99999999999999999999 is not a whole number of 63 bits)");
  CHECK(tensor_message("F32", "[4294967296,4294967296]", "[0,0]", 0) ==
        R"(m: tensor "a": its size overflows 63 bits)");
  CHECK(tensor_message("F64", "[9223372036854775807]", "[0,0]", 0) ==
        R"(m: tensor "a": its size overflows 63 bits)");
}

TEST_CASE("a rank above 8 and more than 65,536 tensors are refused") {
  CHECK(tensor_message("U8", "[1,1,1,1,1,1,1,1]", "[0,1]", 1) == "(nothing was thrown)");
  CHECK(tensor_message("U8", "[1,1,1,1,1,1,1,1,1]", "[0,1]", 1) ==
        R"(m: tensor "a": shape has more than 8 numbers)");
  std::string header = "{";
  for (int i = 0; i < 65'537; ++i) {
    header += (i == 0 ? "\"" : ",\"") + std::to_string(i) +
              R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
  }
  CHECK(header_message(header + "}") == R"(m: tensor "65536": more than 65536 tensors)");
}

TEST_CASE("tensors tile the data without holes, overlaps or rest") {
  const auto two = [](const std::string& a, const std::string& b, std::size_t data) {
    const std::string start = R"({"dtype":"U8","shape":[2],"data_offsets":)";
    return header_message(R"({"b":)" + start + b + R"(},"a":)" + start + a + "}}", data);
  };
  CHECK(two("[0,2]", "[2,4]", 4) == "(nothing was thrown)");
  CHECK(two("[2,4]", "[0,2]", 4) == "(nothing was thrown)");
  CHECK(two("[0,2]", "[3,5]", 5) ==
        R"(m: tensor "b": begins at byte 3 of the data, the one before ends at 2)");
  CHECK(two("[0,2]", "[1,3]", 3) ==
        R"(m: tensor "b": begins at byte 1 of the data, the one before ends at 2)");
  CHECK(two("[1,3]", "[3,5]", 5) ==
        R"(m: tensor "a": begins at byte 1 of the data, the one before ends at 0)");
  CHECK(two("[0,2]", "[2,4]", 5) == "m: the tensors fill 4 bytes of data, the file has 5");
  CHECK(two("[0,2]", "[2,4]", 3) == "m: the tensors fill 4 bytes of data, the file has 3");
  CHECK(tensor_message("F32", "[2]", "[0,4]", 4) ==
        R"(m: tensor "a": data_offsets [0, 4] do not hold the 8 bytes of its dtype and shape)");
  CHECK(tensor_message("U8", "[0]", "[0,9223372036854775807]", 0) ==
        R"(m: tensor "a": data_offsets [0, 9223372036854775807] do not hold the 0 bytes of its )"
        "dtype and shape");
  CHECK(tensor_message("U8", "[1]", "[0]", 1) ==
        R"(m: tensor "a": data_offsets are not two numbers)");
  CHECK(tensor_message("U8", "[1]", "[0,1,2]", 1) ==
        R"(m: tensor "a": data_offsets has more than 2 numbers)");
}

TEST_CASE("a name with a line break stays on one line of the message") {
  CHECK(header_message(R"({"a\nb":1})") == R"(m: tensor "a\nb": a number is not allowed here)");
}

TEST_CASE("no prefix of a file and no flipped bit of its header crashes the reader") {
  const std::string data(14, 'x');
  const auto file = write_safetensors({{"w", "F32", {1, 3}, std::string_view(data).substr(0, 12)},
                                       {"b", "U8", {2}, std::string_view(data).substr(12)}},
                                      {{"k", "v"}});
  for (std::size_t size = 0; size < file.size(); ++size) {
    REQUIRE_THROWS_AS(parse_safetensors(std::string_view(file).substr(0, size), "m"), UserError);
  }
  std::size_t refused = 0;
  const auto header_end = file.size() - data.size();
  for (std::size_t bit = 0; bit < header_end * 8; ++bit) {
    auto flipped = file;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
    const auto message = parse_message(flipped);
    if (message != "(nothing was thrown)") ++refused;
    REQUIRE(message.find('\n') == std::string::npos);
  }
  CHECK(refused > header_end * 4);  // a flip inside a name or a value gives another valid file
}

TEST_CASE("a deeply nested header is refused at its first unexpected level") {
  CHECK(header_message(R"({"a":{"shape":)" + std::string(100'000, '[')) ==
        R"(m: tensor "a": an array is not allowed in "shape")");
}

TEST_CASE("the writer refuses what no reader would accept") {
  const std::string data(4, 'x');
  const auto message = [](const std::vector<TensorEntry>& tensors) {
    return message_of<std::invalid_argument>([&] { write_safetensors(tensors, {}); });
  };
  CHECK(message({{"a", "F32", {2}, data}}) == "a: 4 bytes do not match its dtype and shape");
  CHECK(message({{"a", "F8", {4}, data}}) == "a: unknown dtype F8");
  CHECK(message({{"a", "F32", {1}, data}, {"a", "U8", {4}, data}}) == "a: the name is taken");
  CHECK(message({{"__metadata__", "F32", {1}, data}}) == "__metadata__: the name is taken");
  CHECK(message({{"a", "F32", {1, 1, 1, 1, 1, 1, 1, 1, 1}, data}}) == "a: too many dimensions");
  CHECK(message({{"a", "U8", {-2, -2}, data}}) == "a: 4 bytes do not match its dtype and shape");
}

}  // namespace zoo
