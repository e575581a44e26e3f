#pragma once

#include <string>

#include "core/files.h"
#include "tests/support/temporary_folder.h"

namespace zoo {

/// Configs of short runs in a folder of their own, named from within it.
class OutputWorkplace {
 public:
  OutputWorkplace() {
    write("names.txt",
          "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\nhans\n"
          "ida\nivan\njana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmax\nmia\nnina\n"
          "noah\nola\notto\npaul\n");
    write("gpt.json", config("gpt", R"({"d_model": 16, "n_heads": 2, "n_layers": 1})"));
    write("ngram.json", config("ngram", R"({"order": 3})"));
    write("both.json", R"({
      "title": "two models of names",
      "runs": [{"config": "bigram.json"}, {"config": "gpt.json"}],
      "seeds": [1],
      "budget": {"steps": 10}
    })");
    write("bigram.json", config("bigram", "{}"));
  }
  std::string folder() const { return folder_.path().string(); }
  void write(const std::string& name, const std::string& text) const {
    write_file_synced(folder_ / name, text);
  }
  std::string read(const std::string& name) const { return read_file(folder_ / name); }

 private:
  static std::string config(const std::string& architecture, const std::string& model) {
    return "{\n  \"architecture\": \"" + architecture +
           "\",\n  \"device\": \"cpu\",\n  \"model\": " + model + R"(,
  "data": {"path": "names.txt", "val_fraction": 0.2},
  "training": {"max_steps": 20, "batch_size": 8, "evaluate_every": 10, "samples": 2}
})";
  }

  TemporaryFolder folder_;
};

}  // namespace zoo
