#include <nlohmann/json.hpp>

#include "core/json_file.h"
#include "tests/mistakes/bad_files.h"

namespace zoo {
namespace {

BadFile text(const std::string& kind, const std::string& bytes, const std::string& says) {
  return {kind, says, [bytes] { return bytes; }};
}

std::vector<BadFile> broken() {
  return {
      text("empty", "", "line 1, column 1"),
      text("spaces", "  \n\n  ", "not JSON at line 3"),
      text("a comment alone", "// nothing\n", "not JSON"),
      text("comment without end", "{ /* \n\n", "not JSON"),
      text("cut in a key", "{\n  \"archi", "line 2, column"),
      text("cut in a value", "{\"a\": [1, 2", "not JSON at line 1"),
      text("comma at the end", "{\"a\": 1,}", "not JSON at line 1, column 9"),
      text("no comma", "{\"a\": 1\n\"b\": 2}", "line 2"),
      text("no quotes", "{architecture: 1}", "not JSON"),
      text("single quotes", "{'a': 1}", "not JSON"),
      text("two documents", "{}{}", "not JSON"),
      text("NaN", "{\"a\": NaN}", "not JSON"),
      text("True", "{\"a\": True}", "not JSON"),
      text("number too large", "{\"a\": 1e999}", "not JSON"),
      text("a key twice", "{\"a\": 1, \"a\": 2}", "stands twice"),
      text("a key twice inside", "{\"a\": [{\"b\": 1, \"b\": 1}]}", "stands twice"),
      text("control characters in a key twice", "{\"\\u001b[2J\": 1, \"\\u001b[2J\": 2}",
           "stands twice"),
      text("C1 control in a key twice", "{\"\xC2\x9B\": 1, \"\xC2\x9B\": 2}", "stands twice"),
      text("101 levels", std::string(101, '['), "nested deeper"),
      text("not UTF-8", "{\"a\": \"\xFF\"}", "not JSON"),
      text("cut UTF-8", "{\"a\": \"\xC3", "not JSON"),
      text("half a surrogate pair", R"({"a": "\ud800"})", "not JSON"),
      text("raw line break in a string", "{\"a\": \"\n\"}", "not JSON"),
      text("raw DEL and C1 before the mistake", "{\"\x7F\xC2\x9B", "not JSON"),
      text("wrong escape", R"({"a": "\x"})", "not JSON"),
      text("UTF-16", std::string("\xFF\xFE{\0}\0", 6), "not JSON"),
      text("NUL", std::string("{\0}", 3), "not JSON"),
      text("YAML", "architecture: gpt\nmodel:\n  d_model: 64\n", "not JSON"),
      text("Python", "{'architecture': 'gpt', 'bias': True}", "not JSON"),
  };
}

std::vector<BadFile> large() {
  return {
      {"a million levels", "nested deeper", [] { return std::string(1'000'000, '['); }},
      {"a string of 900 KiB that never ends", "not JSON",
       [] { return "{\"a\": \"" + std::string(900 << 10, 'x'); }},
      {"a string of 4 MiB", "line 1, column 7",
       [] { return "{\"a\": \"" + std::string(4 << 20, 'x') + "\"}"; }},
      {"a number of 900 KiB", "not JSON",
       [] { return "{\"a\": " + std::string(900 << 10, '9') + "}"; }},
      {"a key of 900 KiB twice", "stands twice",
       [] {
         const auto key = "\"" + std::string(900 << 10, 'k') + "\"";
         return "{" + key + ": 1, " + key + ": 2}";
       }},
      {"2 MiB of numbers, cut", "more than 131072 values",
       [] { return "[0" + repeated(",0", 1 << 20); }},
      {"3 MiB of objects, cut", "more than 131072 values",
       [] { return "[{}" + repeated(",{}", 1 << 20); }},
      {"2 MiB of keys, cut", "more than 131072 values",
       [] {
         std::string keys = "{";
         for (int i = 0; keys.size() < (2 << 20); ++i) keys += "\"" + std::to_string(i) + "\":0,";
         return keys;
       }},
      {"16 MiB of numbers", "JSON of at most 8388608",
       [] { return "[0" + repeated(",0", 8 << 20) + "]"; }},
      {"100 MiB", "JSON of at most 8388608",
       [] { return "{\"a\": \"" + std::string(100 << 20, 'x') + "\"}"; }},
  };
}

}  // namespace

FileFormat json_format() {
  FileFormat format{"config", "config.json", {}, {}, 0, {}, {}};
  format.good = [] {
    return std::string(
        "{\n  // a comment\n  \"architecture\": \"gpt\",\n  \"model\": {\"d_model\": 64, \"bias\": "
        "true},"
        "\n  \"optimizer\": {\"betas\": [0.9, 0.99], \"learning_rate\": 1e-3}\n}\n");
  };
  format.read = [](const std::filesystem::path& path) { (void)read_json_file(path); };
  for (const auto& part : {broken(), large()}) {
    format.bad.insert(format.bad.end(), part.begin(), part.end());
  }
  return format;
}

}  // namespace zoo
