#include <filesystem>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/files.h"
#include "inference/export/export.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_export.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Adds something to a bigram's answers once it was traced.
class FickleModel : public Model {
 public:
  explicit FickleModel(Model& model) : model_(model) {
    for (const auto& item : model.named_children()) register_module(item.key(), item.value());
  }
  torch::Tensor forward(const Inputs& inputs) override {
    const auto logits = model_.forward(inputs);
    return ++calls_ > 3 ? logits + 2e-5 : logits;
  }

 private:
  Model& model_;
  int calls_ = 0;
};

TEST_CASE("an export that answers otherwise than the run is not kept") {
  const TemporaryFolder folder;
  const auto raw = tiny_config(folder.path(), find_architecture("bigram"));
  const auto experiment = make_tiny_experiment(raw);
  FickleModel fickle(*experiment.model);
  const TrainedModel trained{fickle, experiment.vocabulary, experiment.facts, experiment.config,
                             torch::kCPU};
  const auto file = folder / "model.pt";
  CHECK_THAT(
      message_of<UserError>([&] { export_torchscript(trained, {raw, 0, ""}, file); }),
      ContainsSubstring("was not kept: its forward for [1, 64] [1] differs from the run's by 2"));
  for (const char* end : {"", ".part", ".proof.json"}) CHECK_FALSE(fs::exists(file.string() + end));
}

TEST_CASE("a trace that bakes a size or a table is refused") {
  const torch::nn::Module module;
  const auto archive_of = [&](auto answer) {
    ScriptedProgram program;
    program.name = "probe";
    program.traced.push_back(
        {"probe", {"x"}, {{torch::ones({2, 3})}, {torch::ones({4, 5})}}, answer});
    return torchscript_archive(module, program);
  };
  using Tensors = std::vector<torch::Tensor>;
  CHECK_NOTHROW(archive_of([](const Tensors& x) { return x[0].sum(1); }));
  CHECK_THROWS_WITH(archive_of([](const Tensors& x) { return x[0].view({x[0].size(0), -1}) + 1; }),
                    ContainsSubstring("bakes one"));
  const auto table = torch::ones({65});
  CHECK_THROWS_WITH(archive_of([&](const Tensors& x) { return x[0].sum() + table; }),
                    ContainsSubstring("65 numbers as a constant"));
}

TEST_CASE("an export is refused where there is a file, and where it cannot be written") {
  const TemporaryFolder folder;
  const auto raw = tiny_config(folder.path(), find_architecture("bigram"));
  const auto experiment = make_tiny_experiment(raw);
  const auto refused = [&](const fs::path& file) {
    return message_of<UserError>(
        [&] { export_torchscript(trained_model(experiment), {raw, 0, ""}, file); });
  };
  write_file_synced(folder / "model.pt", "mine");
  CHECK_THAT(refused(folder / "model.pt"), ContainsSubstring("exists already; choose another"));
  CHECK(read_file(folder / "model.pt") == "mine");
  CHECK_THAT(refused(folder / "nowhere" / "model.pt"), ContainsSubstring("nowhere"));
  CHECK_THAT(refused("/dev/full"), ContainsSubstring("exists already"));
}

TEST_CASE("a file that is no export is refused in one line") {
  const TemporaryFolder folder;
  const auto refused = [](const fs::path& file) {
    auto message = message_of<UserError>([&] { open_export(file, "cpu", {}); });
    CHECK(message.find('\n') == std::string::npos);
    CHECK(message.starts_with(file.string() + ": "));
    return message;
  };
  CHECK_THAT(refused(folder / "none.pt"), ContainsSubstring("no such file"));
  write_file_synced(folder / "text.pt", "not an archive at all");
  CHECK_THAT(refused(folder / "text.pt"), ContainsSubstring("is no zip archive"));
  write_file_synced(folder / "empty.pt", "");
  CHECK_THAT(refused(folder / "empty.pt"), ContainsSubstring("is no zip archive"));

  ScriptedProgram program;
  program.name = "foreign";
  program.source = "def forward(self, x: Tensor) -> Tensor:\n    return x\n";
  write_file_synced(folder / "foreign.pt", torchscript_archive(torch::nn::Module(), program));
  CHECK_THAT(refused(folder / "foreign.pt"), ContainsSubstring("not an export of a run"));

  const Exported exported(folder, find_architecture("bigram"), "language_model");
  const auto bytes = read_file(exported.file);
  for (const auto part : {bytes.size() / 4, bytes.size() / 2, bytes.size() - 1}) {
    const auto file = folder / (std::to_string(part) + ".pt");
    write_file_synced(file, std::string_view(bytes).substr(0, part));
    refused(file);
  }
  // A bit of the weights, of the code, of a name: whatever it is, it is noticed.
  for (std::size_t at = 7; at < bytes.size(); at += bytes.size() / 40) {
    auto damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    const auto file = folder / ("bit-" + std::to_string(at) + ".pt");
    write_file_synced(file, damaged);
    INFO("bit of byte " << at << " of " << bytes.size());
    try {
      // Padding between entries carries nothing.
      const auto opened = open_export(file, "cpu", {});
      const auto logits_of = [&](const Run& run) {
        Inputs inputs;
        inputs.tokens = torch::arange(run.facts.vocab_size).unsqueeze(0);
        return run.model->forward(inputs);
      };
      CHECK(largest_difference(logits_of(opened), logits_of(exported.open())) == 0.0);
    } catch (const UserError&) {
    }
  }
}

}  // namespace
}  // namespace zoo
