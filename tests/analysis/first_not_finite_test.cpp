#include "analysis/first_not_finite.h"

#include <cmath>
#include <functional>
#include <limits>

#include <torch/types.h>
#include <torch/utils.h>

#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"
#include "training/random_state.h"

namespace zoo {
namespace {

/// A task whose loss is what a test makes of the logits.
class CustomTask : public Task {
 public:
  using Loss = std::function<torch::Tensor(const torch::Tensor& logits)>;
  explicit CustomTask(Loss loss) : loss_(std::move(loss)) {}
  LossSum training_loss(const torch::Tensor& logits, const Batch& batch) const override {
    return {loss_(logits).flatten(1).sum(1), torch::ones({batch.targets.size(0)})};
  }
  void measure(const torch::Tensor&, const Batch&, Figures&) const override {}

 private:
  Loss loss_;
};

/// A tiny experiment of an architecture, and where its third step fails first.
struct Case {
  explicit Case(const std::string& architecture)
      : experiment(
            make_tiny_experiment(tiny_config(folder.path(), find_architecture(architecture)))) {}

  std::string found() {
    experiment.model->train();
    Diverged diverged("");
    diverged.step = 2;
    diverged.random_step = 1;
    diverged.random = random_state(torch::kCPU);
    return first_not_finite(experiment, *experiment.training_batches(), diverged);
  }

  TemporaryFolder folder;
  Experiment experiment;
};

/// Fills the parameter whose name holds this.
void fill(Model& model, const std::string& part, float value) {
  const torch::NoGradGuard no_grad;
  for (const auto& [name, parameter] : unique_parameters(model)) {
    if (name.find(part) == std::string::npos) continue;
    parameter.fill_(value);
    return;
  }
  FAIL("no parameter " << part);
}

TEST_CASE("a healthy step of every architecture holds nothing that is not finite") {
  for (const auto& row : architectures()) {
    INFO(row.name);
    Case one(row.name);
    if (one.experiment.model->parameters().empty()) continue;
    CHECK(one.found() == "");
  }
}

TEST_CASE("a parameter that is no number is named") {
  Case one("gpt");
  fill(*one.experiment.model, "block_0", std::nanf(""));
  CHECK_THAT(one.found(), ContainsSubstring("the parameter block_0"));
}

TEST_CASE("the first module whose output is not finite is named") {
  for (const char* architecture : {"gpt", "rnn", "mlp"}) {
    INFO(architecture);
    Case one(architecture);
    fill(*one.experiment.model, "embedding", 3e38F);
    fill(*one.experiment.model, architecture == std::string("gpt") ? "block_0" : "weight", 3e38F);
    CHECK_THAT(one.found(), ContainsSubstring("the output of "));
  }
}

TEST_CASE("a loss of a custom task that takes the logarithm of zero is named") {
  Case one("gpt");
  one.experiment.task = std::make_unique<CustomTask>(
      [](const torch::Tensor& logits) { return -logits.softmax(-1).mul(0.0).log(); });
  CHECK(one.found() == "the loss (aten::log)");
}

TEST_CASE("a gradient that is not finite is named though every output is") {
  Case one("gpt");
  one.experiment.task = std::make_unique<CustomTask>(
      [](const torch::Tensor& logits) { return logits.mul(0.0).sqrt(); });
  CHECK_THAT(one.found(), ContainsSubstring("the gradient of the output of the loss (aten::mul)"));
}

}  // namespace
}  // namespace zoo
