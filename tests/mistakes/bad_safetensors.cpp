#include <algorithm>

#include "core/files.h"
#include "core/safetensors.h"
#include "tests/mistakes/bad_files.h"

namespace zoo {
namespace {

constexpr std::size_t kMostHeader = 16 << 20;

/// A file whose header has any length, right or wrong.
std::string with_length(std::uint64_t length, const std::string& rest) {
  return little_endian(length, 8) + rest;
}

std::string with_header(const std::string& header, const std::string& data = "") {
  return with_length(header.size(), header + data);
}

/// A file of one tensor "w", with this description.
std::string with_tensor(const std::string& description, const std::string& data = "") {
  return with_header(R"({"w":{)" + description + "}}", data);
}

std::string with_shape(const std::string& shape, const std::string& data = "") {
  return with_tensor(R"("dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,8])", data);
}

std::string with_offsets(const std::string& offsets) {
  return with_tensor(R"("dtype":"F32","shape":[2],"data_offsets":)" + offsets,
                     std::string(8, '\0'));
}

std::string with_dtype(const std::string& dtype) {
  return with_tensor(R"("dtype":)" + dtype + R"(,"shape":[2],"data_offsets":[0,8])",
                     std::string(8, '\0'));
}

/// A byte each, one behind the other from `begin` on.
std::string byte_tensor(const std::string& name, std::size_t begin, std::size_t end) {
  return "\"" + name + R"(":{"dtype":"U8","shape":[)" + std::to_string(end - begin) +
         R"(],"data_offsets":[)" + std::to_string(begin) + "," + std::to_string(end) + "]}";
}

/// So many tensors without elements, their names as long as a header of 16 MiB allows, and a tail.
std::string many_tensors(std::size_t count, std::size_t name_bytes, const std::string& tail) {
  std::string header = "{";
  header.reserve(kMostHeader);
  for (std::size_t i = 0; i < count; ++i) {
    auto name = std::to_string(i);
    name.resize(std::max(name.size(), name_bytes), '_');
    header += "\"" + name + R"(":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)";
  }
  header += tail;
  return with_header(header);
}

std::string many_metadata(std::size_t value_bytes) {
  std::string header = R"({"__metadata__":{)";
  header.reserve(kMostHeader);
  for (std::size_t i = 0; header.size() + value_bytes + 40 < kMostHeader; ++i) {
    header += "\"" + std::to_string(i) + "\":\"" + std::string(value_bytes, 'v') + "\",";
  }
  return with_header(header + R"("last":0}})");
}

std::string good() {
  const std::string data("\0\0\x80\x3F\0\0\0\x40", 8);
  return write_safetensors({{"w", "F32", {2}, data}, {"b", "U8", {1}, "\x07"}}, {{"format", "pt"}});
}

std::vector<BadFile> not_a_file() {
  return {
      {"empty", "too few", [] { return ""; }},
      {"seven bytes", "too few", [] { return std::string(7, '\0'); }},
      {"a length alone", "does not begin with {", [] { return with_length(0, ""); }},
      {"length 0 before data", "does not begin with {", [] { return with_length(0, "{}"); }},
      {"length one beyond the end", "the file has 2 after", [] { return with_length(3, "{}"); }},
      {"length 2^63", "claims 9223372036854775808",
       [] { return with_length(std::uint64_t{1} << 63, "{}"); }},
      {"length 2^64 - 1", "claims 18446744073709551615",
       [] { return with_length(~std::uint64_t{0}, "{}"); }},
      {"length 16 MiB + 1", "at most 16777216",
       [] { return with_header("{" + std::string(kMostHeader, ' ')); }},
      {"length 16 MiB of a short file", "the file has 2 after",
       [] { return with_length(kMostHeader, "{}"); }},
      {"big-endian length", "at most", [] { return std::string("\0\0\0\0\0\0\0\x02{}", 10); }},
      {"a pickled checkpoint", "at most",
       [] { return std::string("PK\x03\x04 archive/data.pkl"); }},
      {"a pickle", "at most", [] { return std::string("\x80\x02}q\0(X\x06\0\0\0weight", 16); }},
      {"gzip", "", [] { return std::string("\x1F\x8B\x08\0\0\0\0\0\0\x03", 10); }},
      {"a Git LFS pointer", "at most",
       [] { return std::string("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a"); }},
      {"a web page", "at most", [] { return std::string("<!DOCTYPE html><html>404</html>"); }},
  };
}

std::vector<BadFile> not_a_header() {
  std::vector<BadFile> files = {
      {"byte order mark", "does not begin with {", [] { return with_header("\xEF\xBB\xBF{}"); }},
      {"UTF-16", "not JSON", [] { return with_header(std::string("{\0}\0", 4)); }},
      {"16 MiB of spaces", "gap of more than",
       [] { return with_header("{" + std::string(kMostHeader - 1, ' ')); }},
      {"16 MiB of brackets", "an array is not allowed",
       [] { return with_header(R"({"w":)" + std::string(kMostHeader - 5, '[')); }},
      {"16 MiB of braces", "dtype is missing",
       [] { return with_header(repeated(R"({"w":{},)", kMostHeader / 8)); }},
      {"10,000 levels of objects", "unknown key",
       [] { return with_header(repeated(R"({"w":)", 10'000)); }},
      {"a string of 16 MiB", "line 1, column 6",
       [] { return with_header(R"({"w":")" + std::string(kMostHeader - 10, 'x') + "\"}"); }},
      {"a number of 16 MiB", "number or gap of more than",
       [] { return with_header(R"({"w":)" + std::string(kMostHeader - 10, '7') + "}"); }},
  };
  const std::pair<const char*, const char*> headers[] = {{"spaces before", " {}"},
                                                         {"array", "[]"},
                                                         {"string", "\"w\""},
                                                         {"number", "17"},
                                                         {"null", "null"},
                                                         {"garbage", "{garbage}"},
                                                         {"cut in a key", "{\"w"},
                                                         {"cut after a key", "{\"w\""},
                                                         {"cut in an object", "{\"w\":{"},
                                                         {"comma at the end", "{\"w\":{},}"},
                                                         {"single quotes", "{'w':{}}"},
                                                         {"comment", "{/* none */}"},
                                                         {"text behind", "{} text"},
                                                         {"two objects", "{}{}"},
                                                         {"no colon", "{\"w\" {}}"},
                                                         {"a name that is no string", "{1:{}}"},
                                                         {"NUL between", ""},
                                                         {"true", "true"}};
  for (const auto& [kind, header] : headers) {
    std::string text = header;
    if (text.empty()) text = std::string("{\0}", 3);
    files.push_back({std::string("header: ") + kind, "", [text] { return with_header(text); }});
  }
  for (const char* value : {"null", "[]", "\"F32\"", "7", "-7", "7.5", "true"}) {
    files.push_back({std::string("tensor: ") + value, "is not allowed",
                     [value] { return with_header(std::string(R"({"w":)") + value + "}"); }});
  }
  return files;
}

std::vector<BadFile> wrong_fields() {
  std::vector<BadFile> files = {
      {"no dtype", "dtype is missing",
       [] { return with_tensor(R"("shape":[0],"data_offsets":[0,0])"); }},
      {"no shape", "shape is missing",
       [] { return with_tensor(R"("dtype":"U8","data_offsets":[0,0])"); }},
      {"no data_offsets", "data_offsets is missing",
       [] { return with_tensor(R"("dtype":"U8","shape":[0])"); }},
      {"nothing", "dtype is missing", [] { return with_tensor(""); }},
      {"unknown key", "unknown key",
       [] {
         return with_tensor(R"("dtype":"U8","shape":[0],"data_offsets":[0,0],"strides":[1])");
       }},
      {"dtype twice", "dtype stands twice",
       [] { return with_tensor(R"("dtype":"U8","dtype":"I8")"); }},
      {"shape twice", "shape stands twice",
       [] { return with_tensor(R"("shape":[1],"shape":[2])"); }},
      {"data_offsets twice", "data_offsets stands twice",
       [] { return with_tensor(R"("data_offsets":[0,0],"data_offsets":[0,1])"); }},
      {"dtype of 1 MiB", "is not supported",
       [] { return with_dtype("\"" + std::string(1 << 20, 'F') + "\""); }},
      {"rank 9", "shape has more than 8 numbers",
       [] { return with_shape("[1,1,1,1,1,1,1,1,2]", std::string(8, '\0')); }},
      {"rank 100,000", "shape has more than 8 numbers",
       [] { return with_shape("[1" + repeated(",1", 99'999) + "]"); }},
      {"nested shape", "an array is not allowed", [] { return with_shape("[[2]]"); }},
  };
  for (const char* dtype : {"7", "null", "[]", "{}", "\"\"", "\"F8_E4M3\"", "\"f32\"", "\"F32 \"",
                            "\"U64\"", "\"F32\\n\"", "\"\\u001b[2J\"", "true"}) {
    files.push_back({std::string("dtype ") + dtype, "", [dtype] { return with_dtype(dtype); }});
  }
  for (const char* shape : {"2",
                            "\"2\"",
                            "null",
                            "{}",
                            "[-2]",
                            "[2.0]",
                            "[2e0]",
                            "[\"2\"]",
                            "[null]",
                            "[true]",
                            "[02]",
                            "[+2]",
                            "[0x2]",
                            "[NaN]",
                            "[Infinity]",
                            "[9223372036854775808]",
                            "[18446744073709551616]",
                            "[1e400]",
                            "[4294967296,4294967296]",
                            "[4611686018427387904]",
                            "[2147483648,2147483648,2147483648]",
                            "[3]",
                            "[1]",
                            "[]",
                            "[0]",
                            "[2,2]",
                            "[{}]"}) {
    files.push_back({std::string("shape ") + shape, "",
                     [shape] { return with_shape(shape, std::string(8, '\0')); }});
  }
  for (const char* offsets : {"0",
                              "[]",
                              "[0]",
                              "[0,8,8]",
                              "[8,0]",
                              "[-8,0]",
                              "[0,-8]",
                              "[0.0,8]",
                              "[0,8.5]",
                              "null",
                              "{}",
                              "[0,9]",
                              "[0,7]",
                              "[1,9]",
                              "[8,16]",
                              "[0,9223372036854775807]",
                              "[9223372036854775800,9223372036854775807]",
                              "[0,9223372036854775808]",
                              "[0,18446744073709551616]",
                              "[\"0\",8]",
                              "[[0],8]"}) {
    files.push_back(
        {std::string("data_offsets ") + offsets, "", [offsets] { return with_offsets(offsets); }});
  }
  return files;
}

std::vector<BadFile> wrong_places() {
  const auto two = [](std::size_t a, std::size_t b, std::size_t c, std::size_t d,
                      std::size_t size) {
    return [=] {
      return with_header("{" + byte_tensor("a", a, b) + "," + byte_tensor("b", c, d) + "}",
                         std::string(size, 'd'));
    };
  };
  return {
      {"hole at the start", "begins at byte 1", two(1, 2, 2, 3, 3)},
      {"hole between", "begins at byte 3", two(0, 2, 3, 4, 4)},
      {"overlap", "begins at byte 1", two(0, 2, 1, 3, 3)},
      {"the same bytes twice", "begins at byte 0", two(0, 2, 0, 2, 2)},
      {"one inside another", "begins at byte 1", two(0, 3, 1, 2, 3)},
      {"trailing byte", "the file has 3", two(0, 1, 1, 2, 3)},
      {"a byte cut off", "the file has 3", two(0, 2, 2, 4, 3)},
      {"no data", "the file has 0", two(0, 2, 2, 4, 0)},
      {"data without tensors", "the file has 4", [] { return with_header("{}", "data"); }},
      {"a terabyte", "",
       [] { return with_header("{" + byte_tensor("a", 0, std::size_t{1} << 40) + "}", "data"); }},
  };
}

std::vector<BadFile> wrong_names() {
  const auto broken = [](const std::string& name) {
    return [name] { return with_header("{\"" + name + R"(":{"dtype":"X"}})"); };
  };
  return {
      {"a name twice", "stands twice",
       [] {
         return with_header("{" + byte_tensor("a", 0, 1) + "," + byte_tensor("a", 1, 2) + "}",
                            "ab");
       }},
      {"a name twice, once in escapes", "stands twice",
       [] {
         return with_header("{" + byte_tensor("a", 0, 1) + "," + byte_tensor("\\u0061", 1, 2) + "}",
                            "ab");
       }},
      {"name not UTF-8", "not JSON", broken("w\xFF")},
      {"name cut UTF-8", "not JSON", broken("w\xC3")},
      {"name overlong UTF-8", "not JSON", broken("\xC0\xAF")},
      {"name with half a surrogate pair", "not JSON", broken("\\ud800")},
      {"raw line break in a name", "not JSON", broken("a\nb")},
      {"raw NUL in a name", "not JSON", broken(std::string("a\0b", 3))},
      {"line break in a name", "is not supported", broken("a\\nb")},
      {"NUL in a name", "is not supported", broken("a\\u0000b")},
      {"terminal escape in a name", "is not supported", broken("\\u001b]0;owned\\u0007")},
      {"DEL in a name", "is not supported", broken("a\\u007fb")},
      {"C1 control in a name", "is not supported", broken("a\\u009b2Jb")},
      {"name of 1 MiB", "is not supported", broken(std::string(1 << 20, 'n'))},
      {"65,537 tensors", "more than 65536 tensors", [] { return many_tensors(65'537, 0, "}"); }},
      {"65,536 long names, then garbage", "not JSON",
       [] { return many_tensors(65'536, 190, "garbage"); }},
      {"65,536 tensors, one more without a place", "begins at byte 5",
       [] {
         auto file = many_tensors(65'535, 190, byte_tensor("last", 5, 6) + "}");
         return file + "123456";
       }},
      {"metadata twice",
       "__metadata__: ", [] { return with_header(R"({"__metadata__":{},"__metadata__":{}})"); }},
      {"a metadata key twice", "stands twice",
       [] { return with_header(R"({"__metadata__":{"a":"1","a":"2"}})"); }},
      {"metadata that is no object", "is not allowed",
       [] { return with_header(R"({"__metadata__":"pt"})"); }},
      {"metadata null", "is not allowed", [] { return with_header(R"({"__metadata__":null})"); }},
      {"metadata array", "is not allowed", [] { return with_header(R"({"__metadata__":[]})"); }},
      {"number in metadata", "is not allowed",
       [] { return with_header(R"({"__metadata__":{"step":7}})"); }},
      {"object in metadata", "is not allowed",
       [] { return with_header(R"({"__metadata__":{"config":{}}})"); }},
      {"null in metadata", "is not allowed",
       [] { return with_header(R"({"__metadata__":{"format":null}})"); }},
      {"escape in a metadata key", "is not allowed",
       [] { return with_header(R"({"__metadata__":{"\u001b[31m":7}})"); }},
      {"16 MiB of empty metadata", "", [] { return many_metadata(0); }},
      {"16 MiB of metadata in MiBs", "", [] { return many_metadata(1 << 20); }},
      {"one metadata value of 16 MiB", "", [] { return many_metadata(kMostHeader - 100); }},
  };
}

}  // namespace

FileFormat safetensors_format() {
  FileFormat format{"safetensors", "model.safetensors", {}, good, 0, {}, {}};
  format.header_bytes = 200;
  format.read = [](const std::filesystem::path& path) {
    const auto bytes = read_file(path);
    (void)parse_safetensors(bytes, path.string());
  };
  for (const auto& part :
       {not_a_file(), not_a_header(), wrong_fields(), wrong_places(), wrong_names()}) {
    format.bad.insert(format.bad.end(), part.begin(), part.end());
  }
  return format;
}

}  // namespace zoo
