#include "training/sequence_to_sequence_task.h"

#include <cmath>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/torch_checks.h"
#include "training/config.h"

namespace zoo {
namespace {

/// Logits [B, T, 4] that are `confidence` at the tokens of `likeliest` [B, T] and 0 elsewhere.
torch::Tensor logits_for(const torch::Tensor& likeliest, double confidence = 5.0) {
  return torch::one_hot(likeliest, 4).to(torch::kFloat32) * confidence;
}

TEST_CASE("exact match counts rows whose every target token is the likeliest, padding aside") {
  Batch batch;
  batch.targets = torch::tensor({{-100, 1, 2}, {-100, 3, -100}, {1, 2, 3}});
  const auto written = torch::tensor({{3, 1, 2}, {0, 3, 0}, {1, 2, 2}});
  const SequenceToSequenceTask task(/*label_smoothing=*/0.0);
  Figures figures;
  task.measure(logits_for(written), batch, figures);
  const auto read = figures.read();
  CHECK(read.at("exact_match").sum == 2.0);
  CHECK(read.at("exact_match").count == 3.0);
  CHECK(read.at("accuracy").sum == 5.0);
  CHECK(read.at("accuracy").count == 6.0);
  const auto right = -std::log(std::exp(5.0) / (std::exp(5.0) + 3.0));
  const auto wrong = right + 5.0;
  CHECK(std::abs(read.at("loss").sum - (5 * right + wrong)) < 1e-5);
  CHECK(read.at("loss").count == 6.0);
}

TEST_CASE("the loss weighs tokens: a long row counts as much as its tokens") {
  Batch batch;
  batch.targets = torch::tensor({{-100, 1, -100, -100}, {1, 2, 3, 0}});
  const SequenceToSequenceTask task(/*label_smoothing=*/0.0);
  const auto loss = task.training_loss(torch::zeros({2, 4, 4}), batch);
  CHECK(largest_difference(loss.count, torch::tensor({1, 4})) == 0.0);
  CHECK(largest_difference(loss.sum, torch::tensor({1.0F, 4.0F}) * std::log(4.0F)) < 1e-6);
}

TEST_CASE("the task asks for pairs, and pairs ask for an architecture that learns it") {
  RawConfig raw;
  raw.document = {
      {"architecture", "gpt"}, {"task", "sequence_to_sequence"}, {"data", {{"path", "x.txt"}}}};
  CHECK_THAT(message_of<ConfigError>([&] { resolve_config(raw); }),
             ContainsSubstring("set data.format to pairs or labelled, it is lines"));
  raw.document["data"]["format"] = "pairs";
  CHECK(resolve_config(raw).general.task == TaskType::kSequenceToSequence);
  raw.document["architecture"] = "bigram";
  CHECK_THAT(message_of<ConfigError>([&] { resolve_config(raw); }),
             ContainsSubstring("is not what bigram learns"));
}

}  // namespace
}  // namespace zoo
