// A run folder from anywhere: opening it runs no code, opens no socket and writes nothing outside
// it, whatever its files say; and says in one line what is wrong with them.
#include <iostream>

#include <sys/stat.h>

#include "core/errors.h"
#include "core/names.h"
#include "core/safetensors.h"
#include "tests/mistakes/bad_files.h"
#include "tests/mistakes/tiny_run.h"
#include "tests/mistakes/traced_program.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/zip_file.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Arguments = std::vector<std::string>;

/// A run made hostile, the command that opens it, and part of the message.
struct HostileRun {
  std::string kind;
  std::string command;
  std::string says;
  std::function<void(const fs::path& run)> spoil;
};

HostileRun file(const std::string& kind, const std::string& command, const std::string& name,
                const std::string& bytes, const std::string& says) {
  return {kind, command, says,
          [=](const fs::path& run) { replace_in_checkpoints(run, name, bytes, /*sealed=*/true); }};
}

HostileRun json(const std::string& kind, const std::string& command, const std::string& name,
                const std::string& place, const Json& value, const std::string& says) {
  return {kind, command, says, [=](const fs::path& run) {
            change_in_checkpoints(run, name,
                                  [&](Json& all) { all[Json::json_pointer(place)] = value; });
          }};
}

HostileRun config(const std::string& kind, const std::string& command, const std::string& place,
                  const Json& value, const std::string& says) {
  return {kind, command, says, [=](const fs::path& run) {
            change_json(run / "config.json",
                        [&](Json& all) { all[Json::json_pointer(place)] = value; });
          }};
}

/// What Python would run when it unpickles: os.system("touch owned").
const std::string kPickle(
    "\x80\x02"
    "cposix\nsystem\nX\x0B\0\0\0touch owned\x85R.",
    35);

std::string torchscript() {
  return zip_file({{"archive/data.pkl", kPickle, false}, {"archive/version", "3\n", false}});
}

std::vector<HostileRun> hostile_manifests() {
  const auto garbage = [](const std::string& bytes) {
    return [bytes](const fs::path& run) {
      replace_in_checkpoints(run, "manifest.json", bytes, /*sealed=*/false);
    };
  };
  return {
      {"manifest: pickle", "inspect", "not JSON", garbage(kPickle)},
      {"manifest: zeros", "eval", "not JSON", garbage(std::string(4096, '\0'))},
      {"manifest: 1,000 levels", "resume", "nested deeper", garbage(std::string(1'000, '['))},
      {"manifest: array", "generate", "not a checkpoint manifest", garbage("[]")},
      json("manifest: a file outside", "inspect", "manifest.json", "/files",
           {{"../../../../etc/passwd", {{"bytes", 1}, {"sha256", "0"}}}}, "outside"),
      json("manifest: a device", "eval", "manifest.json", "/files",
           {{"/dev/zero", {{"bytes", 1}, {"sha256", "0"}}}}, "outside"),
      json("manifest: control characters", "generate", "manifest.json", "/files",
           {{"a\n\x1B]0;owned\x07", {{"bytes", 1}, {"sha256", "0"}}}}, ""),
      json("manifest: a file of nothing", "resume", "manifest.json", "/files/state.json", nullptr,
           ""),
      {"manifest: gone", "eval", "",
       [](const fs::path& run) {
         for (const auto& entry : fs::recursive_directory_iterator(run / "checkpoints")) {
           if (entry.path().filename() == "manifest.json") fs::remove(entry.path());
         }
       }},
      {"last and best point outside", "generate", "",
       [](const fs::path& run) {
         for (const char* name : {"last", "best"}) {
           fs::remove(run / "checkpoints" / name);
           fs::create_symlink("../../../../etc", run / "checkpoints" / name);
         }
       }},
  };
}

std::vector<HostileRun> hostile_files() {
  static const std::string byte(1, '\0');
  const auto other = write_safetensors({{"\x1B[2J\n", "U8", {1}, byte}}, {{"format", "pt"}});
  return {
      file("weights: pickle", "eval", "model.safetensors", kPickle, "at most"),
      file("weights: TorchScript", "inspect", "model.safetensors", torchscript(), "at most"),
      file("weights: length 2^63", "generate", "model.safetensors",
           little_endian(std::uint64_t{1} << 63, 8) + "{}", "claims 9223372036854775808"),
      file("weights: a terabyte", "resume", "model.safetensors",
           little_endian(58, 8) + R"({"a":{"dtype":"U8","shape":[1099511627776],"data_offs)", ""),
      file("weights: others", "generate", "model.safetensors", other, "is missing"),
      file("moments: pickle", "resume", "optimizer.safetensors", kPickle, "at most"),
      file("moments: others", "resume", "optimizer.safetensors", other, "is missing"),
      {"weights: changed", "eval", "its manifest says",
       [](const fs::path& run) {
         replace_in_checkpoints(run, "model.safetensors", kPickle, /*sealed=*/false);
       }},
      file("state: null", "inspect", "state.json", "null", "state.json"),
      file("state: text", "resume", "state.json", "\"state\"", "state.json"),
      file("state: pickle", "generate", "state.json", kPickle, "not JSON"),
      json("state: hash of control characters", "eval", "state.json", "/tokenizer/sha256",
           "\x1B[2J\n\x07", "tokenizer.json"),
      json("state: random text", "resume", "state.json", "/random/cpu", "cafe", "random.cpu"),
      json("state: step text", "resume", "state.json", "/progress/step", "2", "state.json"),
      json("state: images", "inspect", "state.json", "/images",
           {{"channels", 1},
            {"height", std::int64_t{1} << 31},
            {"width", std::int64_t{1} << 31},
            {"mean", {0}},
            {"deviation", {1}}},
           "state.json"),
      file("tokenizer: pickle", "generate", "tokenizer.json", kPickle, "not JSON"),
      file("tokenizer: 10,000 levels", "eval", "tokenizer.json", std::string(10'000, '['),
           "nested deeper"),
      file("tokenizer: another", "resume", "tokenizer.json", "{\"version\": \"1.0\"}", "model"),
  };
}

std::vector<HostileRun> hostile_configs() {
  const auto whole = [](const std::string& bytes) {
    return [bytes](const fs::path& run) { write_bytes(run / "config.json", bytes); };
  };
  return {
      {"config: pickle", "inspect", "not JSON", whole(kPickle)},
      {"config: array", "eval", "expected an object", whole("[]")},
      {"config: a million levels", "generate", "nested deeper", whole(std::string(1'000'000, '['))},
      {"config: text of 100 KiB", "resume", "expected an object",
       whole("\"" + std::string(100 << 10, 'x') + "\"")},
      config("config: control characters in a key", "eval", "/a\n\x1B[2J", 1, "unknown option"),
      config("config: control characters in a section", "resume", "/model/a\n\x1B[2J", 1,
             "unknown option"),
      config("config: an architecture that is a path", "inspect", "/architecture",
             "../../bin/sh\n\x1B[2J", "unknown name"),
      config("config: a device of control characters", "generate", "/device", "\x1B[2J\n",
             "device"),
      config("config: another model", "inspect", "/model/d_model", 16, "another architecture"),
      config("config: a model of a terabyte", "generate", "/model/d_model", 1 << 24,
             "another architecture"),
      config("config: data that are a device", "eval", "/data/path", "/dev/null", ""),
      config("config: data outside", "resume", "/data/path", "/etc/passwd", ""),
      config("config: a tokenizer that is nowhere", "resume", "/tokenizer/path",
             "../../no such\x1B", "tokenizer.path"),
  };
}

/// What is no file where the program reads or writes one.
std::vector<HostileRun> hostile_links() {
  const auto leads_outside = [](const std::string& name) {
    return [name](const fs::path& run) {
      fs::remove_all(run / name);
      fs::create_symlink("../outside", run / name);
    };
  };
  return {
      {"link: metrics", "resume", "a link", leads_outside("metrics.jsonl")},
      {"link: lock", "resume", "a link", leads_outside("lock")},
      {"link: the config's successor", "resume", "a link", leads_outside("config.json.tmp")},
      {"link: no checkpoints", "resume", "is a link", leads_outside("checkpoints")},
      {"link: checkpoints of another run", "resume", "is a link",
       [](const fs::path& run) {
         fs::remove_all(run / "checkpoints");
         fs::create_directory_symlink("../run/checkpoints", run / "checkpoints");
       }},
      {"pipe: config", "eval", "not JSON",
       [](const fs::path& run) {
         fs::remove(run / "config.json");
         REQUIRE(::mkfifo((run / "config.json").c_str(), 0600) == 0);
       }},
      {"pipe: weights", "generate", "is 0 bytes long",
       [](const fs::path& run) {
         for (const auto& entry : fs::directory_iterator(run / "checkpoints")) {
           if (entry.is_symlink()) continue;
           const auto weights = entry.path() / "model.safetensors";
           fs::remove(weights);
           REQUIRE(::mkfifo(weights.c_str(), 0600) == 0);
         }
       }},
  };
}

std::vector<HostileRun> hostile_runs() {
  auto all = hostile_manifests();
  for (const auto& part : {hostile_files(), hostile_configs(), hostile_links()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

Arguments opening(const HostileRun& hostile, const fs::path& run) {
  Arguments arguments = {hostile.command, run.string()};
  if (hostile.command == "resume") {
    arguments.insert(arguments.end(), {"--set", "training.max_steps=4", "--quiet"});
  }
  if (hostile.command == "generate") arguments.insert(arguments.end(), {"--count", "1"});
  return arguments;
}

void check_one_line(const ProgramResult& result, const std::string& says) {
  CHECK(result.code == 2);
  CHECK(result.out.empty());
  REQUIRE(result.error.starts_with("error: "));
  REQUIRE(result.error.ends_with('\n'));
  CHECK(complaint_about(result.error.substr(0, result.error.size() - 1)) == "");
  CHECK_THAT(result.error, ContainsSubstring(says));
}

TEST_CASE("a hostile run is refused in one line, starts nothing and writes nothing outside") {
  const TinyRun run;
  const bool watched = can_trace();
  if (!watched) WARN("no strace, or it may not trace: what the program does is not watched");
  std::size_t count = 0, calls = 0;
  for (const auto& hostile : hostile_runs()) {
    const auto copy = run.copy();
    hostile.spoil(copy);
    const auto arguments = opening(hostile, copy);
    TracedProgram traced;
    if (watched) {
      traced = traced_zoo(arguments);
    } else {
      traced.result = run_zoo(arguments);
    }
    INFO(hostile.kind << " (" << hostile.command << "): " << traced.result.error.substr(0, 500));
    check_one_line(traced.result, hostile.says);
    const auto forbidden = forbidden_calls(traced.calls, copy);
    INFO(join(forbidden, "\n"));
    CHECK(forbidden.empty());
    CHECK(traced.calls.empty() != watched);
    ++count;
    calls += traced.calls.size();
  }
  CHECK(!fs::exists("owned"));
  CHECK(!fs::exists(run.folder() / "outside"));
  std::cout << count << " hostile runs, " << calls << " calls watched\n";
}

TEST_CASE("a run that is whole does no more than a hostile one may, and the watch sees what does") {
  if (!can_trace()) {
    WARN("no strace, or it may not trace");
    return;
  }
  const TinyRun run;
  const auto copy = run.copy();
  for (const char* command : {"inspect", "eval", "generate", "resume"}) {
    const auto traced = traced_zoo(opening({"whole", command, "", {}}, copy));
    INFO(command << ": " << traced.result.error);
    CHECK(traced.result.code == 0);
    CHECK(join(forbidden_calls(traced.calls, copy), "\n") == "");
    // The same calls, seen from another folder: what it writes, if anything, is noticed.
    const bool writes = !forbidden_calls(traced.calls, run.folder() / "elsewhere").empty();
    CHECK(writes == (command == std::string("resume")));
  }
}

TEST_CASE("the watch knows a forbidden call when it sees one") {
  const std::vector<std::string> allowed = {
      R"(7 execve("/zoo", ["zoo"], 0x7 /* 20 vars */) = 0)",
      R"(7 openat(AT_FDCWD, "/etc/ld.so.cache", O_RDONLY|O_CLOEXEC) = 3)",
      R"(7 openat(AT_FDCWD, "/run/lock", O_RDWR|O_CREAT|O_CLOEXEC, 0644) = 3)",
      R"(7 openat(AT_FDCWD, "/dev/null", O_RDWR) = 3)",
      R"(7 rename("/run/a.tmp", "/run/a") = 0)",
      R"(7 unlinkat(8</run/step-1>, "a", 0) = 0)",
      R"(7 symlink("step-2", "/run/last.tmp") = 0)",
      R"(7 <... openat resumed>) = 3)",
  };
  CHECK(join(forbidden_calls(allowed, "/run"), "\n") == "");
  for (const char* call : {
           R"(8 execve("/bin/sh", ["sh"], 0x7 /* 20 vars */) = 0)",
           R"(8 socket(AF_INET, SOCK_STREAM, 0) = 4)",
           R"(8 openat(AT_FDCWD, "/home/x", O_WRONLY|O_CREAT|O_TRUNC, 0644) = 3)",
           R"(8 openat(AT_FDCWD, "x", O_RDWR|O_CREAT, 0644) = 3)",
           R"(8 openat(AT_FDCWD, "/run/../x", O_RDWR|O_CREAT, 0644 <unfinished ...>)",
           R"(8 openat(AT_FDCWD, "/runs/x", O_RDWR|O_CREAT, 0644) = -1 EACCES)",
           R"(8 rename("/run/a", "/home/a") = 0)",
           R"(8 unlink("/home/a") = 0)",
           R"(8 unlinkat(8</home>, "a", 0) = 0)",
           R"(8 unlinkat(8</run>, "../home/a", 0) = 0)",
           R"(8 mkdir("/home/a", 0777) = 0)",
           R"(8 symlink("/run/a", "/home/a") = 0)",
       }) {
    auto calls = allowed;
    calls.emplace_back(call);
    INFO(call);
    CHECK(forbidden_calls(calls, "/run") == std::vector<std::string>{call});
  }
}

}  // namespace
}  // namespace zoo
