// Every architecture, present and future, keeps the same promises: no architecture is named here.
#include <algorithm>
#include <cmath>

#include <torch/autograd.h>
#include <torch/cuda.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "models/model.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_variants.h"
#include "training/optimizer.h"
#include "training/tensor_file.h"

namespace zoo {
namespace {

/// How many answers there are to choose from.
std::int64_t answers_of(const Example& example) { return example.output_shape.back(); }

bool learns_by_gradient(const Model& model) { return !model.parameters().empty(); }

TEST_CASE("every architecture is found by its name and has a config and an entry in the docs") {
  REQUIRE(architectures().size() >= 11);
  for (const auto& row : architectures()) {
    INFO(row.name);
    CHECK(find_architecture(row.name).name == row.name);
    CHECK(!row.summary.empty());
    CHECK(!row.tasks.empty());
    CHECK(read_file("docs/config.md").find("`model` of `" + row.name + "`") != std::string::npos);
    bool has_config = false;
    for (const auto& entry : std::filesystem::recursive_directory_iterator("configs")) {
      has_config = has_config || entry.path().stem() == row.name;
    }
    CHECK(has_config);
  }
  CHECK_THROWS_WITH(find_architecture("gtp"), ContainsSubstring("did you mean gpt?"));
}

TEST_CASE("every architecture has the documented output shape and finite outputs") {
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const auto logits = model->forward(example.inputs);
    CHECK(logits.sizes().vec() == example.output_shape);
    CHECK(logits.isfinite().all().item<bool>());
  }
}

TEST_CASE("every architecture sends a finite gradient to every parameter") {
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    if (!learns_by_gradient(*model)) continue;
    model->forward(example.inputs).square().sum().backward();
    for (const auto& item : model->named_parameters()) {
      INFO("parameter " << item.key());
      REQUIRE(item.value().grad().defined());
      CHECK(item.value().grad().isfinite().all().item<bool>());
      CHECK(item.value().grad().abs().sum().item<double>() > 0.0);
    }
  }
}

TEST_CASE("every architecture treats the examples of a batch independently in evaluation") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const auto together = model->forward(example.inputs);
    for (std::int64_t i = 0; i < kBatch; ++i) {
      const auto alone = model->forward(row_of(example.inputs, i));
      CHECK(largest_difference(together.narrow(0, i, 1), alone) < 1e-5);
    }
  }
}

TEST_CASE("every causal architecture leaks nothing from the future") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const bool one_answer = example.output_shape.size() != 3;  // for the whole row
    if (one_answer || !variant.row.causal) continue;
    const auto before = model->forward(example.inputs);
    const auto T = example.inputs.tokens.size(1);
    for (std::int64_t t = 1; t < T; ++t) {
      auto changed = example.inputs;
      changed.tokens = changed.tokens.clone();
      const auto column = changed.tokens.select(1, t);
      column.copy_((column + 1).remainder(example.facts.vocab_size));
      const auto after = model->forward(changed);
      CHECK(largest_difference(after.narrow(1, 0, t), before.narrow(1, 0, t)) == 0.0);
      CHECK(largest_difference(after.narrow(1, t, T - t), before.narrow(1, t, T - t)) > 0.0);
    }
  }
}

TEST_CASE("every architecture is reproduced by its seed") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto first = subject_of(variant);
    const auto second = subject_of(variant);
    CHECK(largest_difference(first.model->forward(first.example.inputs),
                             second.model->forward(second.example.inputs)) == 0.0);
  }
}

TEST_CASE("every architecture comes back from its file with the same outputs") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const auto bytes = tensors_to_bytes(model_state(*model));
    torch::manual_seed(99);
    const auto other = variant.row.build(example.options, example.facts);
    other->eval();
    const bool counted = dynamic_cast<Counted*>(other.get()) != nullptr;
    bytes_into_tensors(bytes, "model.safetensors", model_state(*other), counted);
    CHECK(largest_difference(model->forward(example.inputs), other->forward(example.inputs)) ==
          0.0);
  }
}

TEST_CASE("every architecture's options survive a round trip and refuse unknown ones by name") {
  for (const auto& row : architectures()) {
    INFO(row.name);
    const auto example = row.tiny(1);
    const auto resolved = row.resolve(example.options);
    CHECK(row.resolve(resolved) == resolved);
    for (const auto& option : row.describe()) {
      CHECK((resolved.contains(option.name) || option.default_value.is_null()));
      CHECK(!option.help.empty());
    }
    auto options = example.options;
    options["widht"] = 1;
    CHECK_THROWS_WITH(row.build(options, example.facts), ContainsSubstring("model.widht"));
  }
}

TEST_CASE("every architecture that learns by gradient starts near the logarithm of its answers") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant, 64);
    if (!learns_by_gradient(*model)) continue;
    const auto logits = model->forward(example.inputs).flatten(0, -2);
    const auto targets = torch::randint(answers_of(example), {logits.size(0)}, torch::kInt64);
    const auto loss = torch::nn::functional::cross_entropy(logits, targets).item<double>();
    CHECK(std::abs(loss - std::log(static_cast<double>(answers_of(example)))) < 0.1);
  }
}

TEST_CASE("every architecture that learns by gradient overfits one batch") {
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant, 2);
    if (!learns_by_gradient(*model)) continue;
    // The answer follows from the last token, so that one token of context is enough;
    // of images it is their number.
    const auto& tokens = example.inputs.tokens;
    const auto last = !variant.reads_text()              ? torch::arange(2)
                      : example.output_shape.size() == 3 ? tokens
                                                         : tokens.select(1, -1);
    const auto targets = (last * 3 + 1).remainder(answers_of(example)).flatten();
    OptimizerOptions options;
    options.learning_rate = 1e-2;
    options.weight_decay = 0.0;
    Optimizer optimizer(*model, options);
    double loss = 0.0;
    for (int step = 0; step < 500; ++step) {
      optimizer.zero_grad();
      const auto logits = model->forward(example.inputs).flatten(0, -2);
      const auto now = torch::nn::functional::cross_entropy(logits, targets);
      now.backward();
      optimizer.step(options.learning_rate);
      loss = now.item<double>();
    }
    CHECK(loss < 0.05);
  }
}

TEST_CASE("every architecture pays no attention to padding") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    if (variant.row.fixed_length || !variant.reads_text()) continue;
    const auto expected = model->forward(example.inputs);
    const auto B = example.inputs.tokens.size(0);
    const auto T = example.inputs.tokens.size(1);
    const auto padded = [&](const torch::Tensor& rows) {
      return torch::constant_pad_nd(rows, {0, 1}, /*value=*/1);
    };
    auto inputs = example.inputs;
    inputs.tokens = padded(inputs.tokens);
    inputs.lengths = torch::full({B}, T, torch::kInt64);
    if (inputs.segments.defined()) inputs.segments = padded(inputs.segments);
    if (inputs.source.defined()) {
      inputs.source_lengths = torch::full({B}, inputs.source.size(1), torch::kInt64);
      inputs.source = padded(inputs.source);
    }
    auto actual = model->forward(inputs);
    if (actual.dim() == 3) actual = actual.narrow(1, 0, T);
    CHECK(largest_difference(actual, expected) < 1e-5);
  }
}

TEST_CASE("every architecture takes rows that are padded on the left, or says the same without") {
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    if (variant.row.fixed_length || variant.row.reads_source || variant.text_classes ||
        !variant.reads_text()) {
      continue;
    }
    const auto expected = model->forward(example.inputs);
    const auto T = example.inputs.tokens.size(1);
    auto inputs = example.inputs;
    inputs.tokens = torch::constant_pad_nd(inputs.tokens, {1, 0}, /*value=*/1);
    if (inputs.segments.defined())
      inputs.segments = torch::constant_pad_nd(inputs.segments, {1, 0});
    inputs.lengths = torch::full({inputs.tokens.size(0)}, T, torch::kInt64);
    inputs.left_padded = true;
    CHECK(largest_difference(model->forward(inputs).narrow(1, 1, T), expected) < 1e-5);
  }
}

TEST_CASE("every architecture gives the same numbers on the GPU", "[cuda]") {
  if (!torch::cuda::is_available()) return;
  const torch::NoGradGuard no_grad;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    const auto here = model->forward(example.inputs);
    model->to(torch::kCUDA);
    const auto there = model->forward(on_device(example.inputs, torch::kCUDA));
    CHECK(largest_difference(there, here) < 1e-4);
  }
}

TEST_CASE("every architecture that learns by gradient has finite gradients on the GPU", "[cuda]") {
  if (!torch::cuda::is_available()) return;
  for (const auto& variant : variants()) {
    INFO(variant.name);
    const auto [example, model] = subject_of(variant);
    if (!learns_by_gradient(*model)) continue;
    model->to(torch::kCUDA);
    model->forward(on_device(example.inputs, torch::kCUDA)).square().sum().backward();
    for (const auto& item : model->named_parameters()) {
      INFO("parameter " << item.key());
      CHECK(item.value().grad().isfinite().all().item<bool>());
    }
  }
}

}  // namespace
}  // namespace zoo
