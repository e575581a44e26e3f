// Nothing in the program's sources reads a pickle, and TorchScript is opened in one place alone.
#include <algorithm>
#include <filesystem>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// The sources that hold a text.
std::vector<std::string> sources_with(const std::string& text) {
  std::vector<std::string> files;
  for (const char* folder : {"core", "kernels", "text", "vision", "models", "training", "inference",
                             "analysis", "apps"}) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto ending = entry.path().extension();
      if (ending != ".cpp" && ending != ".h") continue;
      if (read_file(entry.path()).find(text) != std::string::npos) {
        files.push_back(entry.path().string());
      }
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

using Files = std::vector<std::string>;

TEST_CASE("no source loads a pickle, and one alone opens TorchScript") {
  for (const char* text : {"torch::load", "torch/serialize", "serialize/input-archive",
                           "InputArchive", "pickle_load", "Unpickler", "Unpickle", "unpickle",
                           "torch/csrc/jit/serialization/unpickler", "torch/script.h"}) {
    INFO(text);
    CHECK(sources_with(text) == Files{});
  }
  CHECK(sources_with("jit::load") == Files{"inference/export/torchscript_file.cpp"});
  CHECK(sources_with("jit/serialization/import") == Files{"inference/export/torchscript_file.cpp"});
}

TEST_CASE("no source loads code or opens a connection, and one alone starts a program: itself") {
  for (const char* text :
       {"dlopen", "popen(", "std::system", "posix_spawn", "::socket(", "::connect(", "<netdb.h>"}) {
    INFO(text);
    CHECK(sources_with(text) == Files{});
  }
  const auto starting = sources_with("::exec");
  CHECK(starting == Files{"apps/child_process.cpp"});
  CHECK(read_file("apps/child_process.cpp").find("\"/proc/self/exe\"") != std::string::npos);
}

TEST_CASE("the help of what opens exports says that they are programs") {
  for (const char* command : {"eval", "generate"}) {
    const auto help = run_zoo({command, "--help"});
    CHECK(help.code == 0);
    CHECK_THAT(help.out, ContainsSubstring("open only those"));
  }
}

}  // namespace
}  // namespace zoo
