#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/sha256.h"
#include "tests/mistakes/bad_files.h"
#include "tests/mistakes/tiny_run.h"
#include "tests/support/temporary_folder.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr const char* kIdentity = "cafe";
constexpr const char* kState = "{\"step\": 1}";

/// The manifest that the program writes.
const Json& manifest() {
  static const Json written = [] {
    const TemporaryFolder run;
    write_checkpoint(run.path(), 1, {{"state.json", kState}}, kIdentity);
    return Json::parse(read_file(run / "checkpoints/step-1/manifest.json"));
  }();
  return written;
}

/// As if it had been written so.
std::string sealed(Json json) {
  seal_manifest(json);
  return json.dump(2);
}

/// The manifest with the value at a place ("/files/state.json/bytes") replaced.
MakeBytes with(const std::string& place, const Json& value) {
  return [=] {
    auto json = manifest();
    json[Json::json_pointer(place)] = value;
    return sealed(json);
  };
}

MakeBytes without(const std::string& key) {
  return [=] {
    auto json = manifest();
    json.erase(key);
    return sealed(json);
  };
}

/// The manifest that also names another file.
MakeBytes naming(const std::string& name) {
  return [=] {
    auto json = manifest();
    json["files"][name] = {{"bytes", 0}, {"sha256", sha256("")}};
    return sealed(json);
  };
}

std::vector<BadFile> wrong_values() {
  return {
      {"no format_version", "format_version is null", without("format_version")},
      {"a later version", "format_version is 99", with("/format_version", 99)},
      {"version 0", "format_version is 0", with("/format_version", 0)},
      {"version -1", "format_version is -1", with("/format_version", -1)},
      {"version as text", "format_version is \"1\"", with("/format_version", "1")},
      {"version object", "format_version is", with("/format_version", Json::object())},
      {"version of 10,000 digits", "format_version is",
       with("/format_version", std::string(10'000, '9'))},
      {"version with line breaks", "format_version is", with("/format_version", "1\n\x1B[2J")},
      {"no identity", "another architecture", without("identity")},
      {"another identity", "another architecture", with("/identity", "beef")},
      {"identity number", "another architecture", with("/identity", 7)},
      {"no files", "not a checkpoint manifest", without("files")},
      {"files null", "not a checkpoint manifest", with("/files", nullptr)},
      {"files array", "not a checkpoint manifest", with("/files", Json::array({"state.json"}))},
      {"files text", "not a checkpoint manifest", with("/files", "state.json")},
      {"file without anything", "", with("/files/state.json", Json::object())},
      {"file null", "", with("/files/state.json", nullptr)},
      {"file text", "", with("/files/state.json", "11")},
      {"file array", "", with("/files/state.json", Json::array({11}))},
      {"file number", "", with("/files/state.json", 11)},
      {"bytes less", "its manifest says 1", with("/files/state.json/bytes", 1)},
      {"bytes negative", "its manifest says -1", with("/files/state.json/bytes", -1)},
      {"bytes 2^64 - 1", "its manifest says", with("/files/state.json/bytes", ~std::uint64_t{0})},
      {"bytes text", "its manifest says", with("/files/state.json/bytes", "11")},
      {"bytes null", "its manifest says", with("/files/state.json/bytes", nullptr)},
      {"bytes object", "its manifest says", with("/files/state.json/bytes", Json::object())},
      {"bytes text of 10,000 lines", "its manifest says",
       with("/files/state.json/bytes", repeated("1\n", 10'000))},
      {"another SHA-256", "SHA-256 differs",
       with("/files/state.json/sha256", std::string(64, '0'))},
      {"SHA-256 null", "SHA-256 differs", with("/files/state.json/sha256", nullptr)},
      {"SHA-256 object", "SHA-256 differs", with("/files/state.json/sha256", Json::object())},
      {"SHA-256 in capitals", "SHA-256 differs",
       with("/files/state.json/sha256", std::string(64, 'A'))},
  };
}

std::vector<BadFile> wrong_names() {
  return {
      {"a file that is not there", "", naming("model.safetensors")},
      {"no name", "", naming("")},
      {"the folder itself", "", naming(".")},
      {"the folder above", "", naming("..")},
      {"a file above", "outside", naming("../../config.json")},
      {"an absolute path", "outside", naming("/etc/passwd")},
      {"a device", "outside", naming("/dev/zero")},
      {"a path below", "outside", naming("a/b")},
      {"line break in a name", "", naming("a\nb")},
      {"terminal escape in a name", "", naming("\x1B]0;owned\x07")},
      {"DEL in a name", "", naming("a\x7F")},
      {"NUL in a name", "", naming(std::string("state.json\0x", 12))},
      {"C1 control in a name", "", naming("a\u009B2J")},
      {"line break in a path outside", "outside", naming("a\n/b")},
      {"a name of 100,000 bytes", "", naming(std::string(100'000, 'n'))},
      {"a file twice", "stands twice", [] { return std::string(R"({"files":{"a":{},"a":{}}})"); }},
      {"200,000 files", "",
       [] {
         std::string text = R"({"format_version":1,"identity":"cafe","files":{)";
         for (int i = 0; i < 200'000; ++i) text += "\"f" + std::to_string(i) + "\":{},";
         return text + "\"last\":{}}}";
       }},
  };
}

std::vector<BadFile> not_json() {
  std::vector<BadFile> files = {
      {"empty", "not JSON", [] { return ""; }},
      {"array", "not a checkpoint manifest", [] { return "[]"; }},
      {"null", "not a checkpoint manifest", [] { return "null"; }},
      {"text", "not a checkpoint manifest", [] { return "\"manifest\""; }},
      {"number", "not a checkpoint manifest", [] { return "1"; }},
      {"empty object", "not a checkpoint manifest", [] { return "{}"; }},
      {"cut", "not JSON", [] { return manifest().dump().substr(0, 60); }},
      {"zeros, as after a crash", "not JSON", [] { return std::string(4096, '\0'); }},
      {"101 levels", "nested deeper", [] { return std::string(101, '['); }},
      {"64 MiB of numbers", "",
       [] { return R"({"files":{},"x":[0)" + repeated(",0", 32 << 20) + "]}"; }},
      {"12 MiB of arrays", "",
       [] { return R"({"files":{},"x":[[])" + repeated(",[]", 4 << 20) + "]}"; }},
      {"12 MiB of objects", "",
       [] { return R"({"files":{},"x":[{})" + repeated(",{}", 4 << 20) + "]}"; }},
  };
  return files;
}

}  // namespace

FileFormat manifest_format() {
  FileFormat format{"manifest",
                    "checkpoints/step-1/manifest.json",
                    {{"checkpoints/step-1/state.json", kState}},
                    [] { return manifest().dump(2); },
                    0,
                    {},
                    {}};
  format.read = [](const std::filesystem::path& path) {
    const auto run = path.parent_path().parent_path().parent_path();
    (void)read_checkpoint(run, "step-1", kIdentity);
  };
  for (const auto& part : {wrong_values(), wrong_names(), not_json()}) {
    format.bad.insert(format.bad.end(), part.begin(), part.end());
  }
  return format;
}

}  // namespace zoo
