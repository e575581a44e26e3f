#include "training/initialization.h"

#include <algorithm>
#include <sstream>

#include <torch/types.h>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_training.h"
#include "training/checkpoint_observer.h"
#include "training/run_folder.h"

namespace zoo {
namespace {

/// A masked language model that was trained for a few steps, and a classifier that starts from it.
class FineTuning {
 public:
  FineTuning() {
    auto first = make_tiny_experiment(tiny_config(folder_ / "first", bert()));
    create_run_folder(run(), first);
    train_tiny(run(), first, 8);
    restore_model(read_checkpoint(run(), "best", first.config.identity()), *first.model);
    first_ = first.model;
  }

  RawConfig config(const std::vector<std::string>& settings = {},
                   const char* task = "text_classification") const {
    return tiny_config(folder_ / "second", bert(), settings, task);
  }
  /// The classifier, and what was reported about it.
  std::pair<Experiment, InitializationReport> start(const RawConfig& raw) const {
    auto config = resolve_config(raw);
    locate_data(raw, config);
    const auto from = open_initialization(run(), raw, config);
    auto experiment = make_experiment(std::move(config), from.vocabulary.tokenizers);
    auto report = initialize(*experiment.model, experiment.config, experiment.vocabulary, from);
    return {std::move(experiment), std::move(report)};
  }
  std::string refusal(const RawConfig& raw) const {
    return message_of<UserError>([&] { start(raw); });
  }

  std::filesystem::path run() const { return folder_ / "run"; }
  const Model& first() const { return *first_; }

 private:
  static const Architecture& bert() { return find_architecture("bert"); }

  TemporaryFolder folder_;
  std::shared_ptr<Model> first_;
};

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

TEST_CASE("a classifier starts from a masked language model's weights, and the report says which") {
  const FineTuning here;
  const auto [experiment, report] = here.start(here.config({"model.dropout=0.3"}));
  const auto& tensors = report.tensors;
  CHECK(has(tensors.loaded, "block_0.attention.qkv.weight"));
  CHECK(tensors.fresh == std::vector<std::string>{"pooler.weight", "pooler.bias",
                                                  "classifier.weight", "classifier.bias"});
  CHECK(has(tensors.left_out, "masked_token_head.transform.weight"));
  CHECK(report.differences == std::vector<std::string>{"model.dropout: 0.2 there, 0.3 here"});
  const auto there = here.first().named_parameters();
  for (const auto& item : experiment.model->named_parameters()) {
    if (!has(tensors.loaded, item.key())) continue;
    CHECK(largest_difference(item.value(), there[item.key()]) == 0.0);
  }
  CHECK(experiment.vocabulary.classes == std::vector<std::string>{"A", "other"});
}

TEST_CASE("a run of another width is refused, each tensor that differs being named") {
  const FineTuning here;
  CHECK_THAT(here.refusal(here.config({"model.d_ff=20"})),
             ContainsSubstring("block_0.feed_forward.up.weight is F32 [64, 16] there and F32 "
                               "[20, 16] here; block_1."));
}

TEST_CASE("a run of another vocabulary is refused, each option that differs being named") {
  const FineTuning here;
  const auto message =
      here.refusal(here.config({"tokenizer.type=byte_bpe", "tokenizer.vocab_size=300"}));
  CHECK_THAT(message, ContainsSubstring("has another vocabulary: tokenizer.type: \"character\" "
                                        "there, \"byte_bpe\" here; tokenizer.vocab_size: 512 "
                                        "there, 300 here; leave tokenizer out"));
}

TEST_CASE("another architecture, no run and other classes are refused") {
  const FineTuning here;
  const auto raw = tiny_config(here.run() / "gpt", find_architecture("gpt"));
  CHECK_THAT(here.refusal(raw), ContainsSubstring("is a bert, and architecture is gpt"));
  auto config = resolve_config(raw);
  CHECK_THAT(message_of<UserError>([&] { open_initialization(here.run() / "no", raw, config); }),
             ContainsSubstring("no such run folder"));
}

TEST_CASE("positions of another image size are resized, and the report says so") {
  const TemporaryFolder folder;
  const auto& vit = find_architecture("vit");
  auto first = make_tiny_experiment(tiny_config(folder / "first", vit));
  create_run_folder(folder / "run", first);
  train_tiny(folder / "run", first, 4);
  // The second run's images have 24 x 8 pixels: two of the first's above each other.
  const auto raw = tiny_config(folder / "second", vit, {"data.height=24"});
  std::istringstream lines(read_file(folder / "second" / "images.csv"));
  std::string doubled;
  for (std::string line; std::getline(lines, line);) {
    const auto pixels = line.substr(0, line.rfind(',') + 1);
    doubled += pixels + line + "\n";
  }
  replace_file(folder / "second" / "images.csv", doubled);
  auto config = resolve_config(raw);
  locate_data(raw, config);
  const auto from = open_initialization(folder / "run", raw, config);
  auto experiment = make_experiment(std::move(config));
  const auto report = initialize(*experiment.model, experiment.config, experiment.vocabulary, from);
  CHECK(report.tensors.resized == std::vector<std::string>{"positions"});
  CHECK(report.tensors.fresh.empty());
  CHECK(report.tensors.left_out.empty());
  restore_model(from.checkpoint, *first.model);
  const auto there = first.model->named_parameters();
  const auto here = experiment.model->named_parameters();
  CHECK(largest_difference(here["classifier.weight"], there["classifier.weight"]) == 0.0);
  CHECK(largest_difference(here["positions"].narrow(1, 0, 1), there["positions"].narrow(1, 0, 1)) ==
        0.0);
  CHECK(here["positions"].size(1) == 2 * (there["positions"].size(1) - 1) + 1);
}

}  // namespace
}  // namespace zoo
