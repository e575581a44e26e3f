// Every architecture can be traced for export: the trace answers for other batches and lengths.
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/runtime/graph_executor.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "models/registry.h"
#include "tests/support/catch.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

torch::jit::Stack stack_of(Inputs inputs) {
  torch::jit::Stack stack;
  for (const auto* tensor : tensors_of(inputs)) stack.emplace_back(*tensor);
  return stack;
}

/// The model's forward as a graph, traced with these inputs.
torch::jit::GraphExecutor traced(Model& model, const Inputs& example) {
  for (auto& parameter : model.parameters()) parameter.set_requires_grad(false);
  const auto forward = [&](torch::jit::Stack stack) -> torch::jit::Stack {
    auto inputs = example;
    std::size_t next = 0;
    for (auto* tensor : tensors_of(inputs)) *tensor = stack[next++].toTensor();
    return {model.forward(inputs)};
  };
  const auto state = torch::jit::tracer::trace(stack_of(example), forward,
                                               [](const torch::autograd::Variable&) { return ""; });
  return {state.first->graph, "forward"};
}

/// The first B rows, T tokens and S tokens of the source.
Inputs smaller(const Inputs& inputs, std::int64_t B, std::int64_t T, std::int64_t S) {
  auto small = inputs;
  for (auto* tensor : tensors_of(small)) *tensor = tensor->narrow(0, 0, B);
  small.tokens = small.tokens.narrow(1, 0, T);
  if (small.segments.defined()) small.segments = small.segments.narrow(1, 0, T);
  if (small.source.defined()) small.source = small.source.narrow(1, 0, S);
  return small;
}

Inputs with_padding(Inputs inputs) {
  inputs.lengths = torch::tensor({2, 1, 2}, torch::kInt64);
  if (inputs.source.defined()) inputs.source_lengths = torch::tensor({1, 2, 2}, torch::kInt64);
  return inputs;
}

TEST_CASE("a trace of every architecture of text bakes neither the batch nor the length") {
  const torch::NoGradGuard no_grad;
  for (const auto& row : architectures()) {
    torch::manual_seed(1);
    const auto example = row.tiny(3);
    const auto model = row.build(example.options, example.facts);
    const bool images = example.inputs.images.defined();
    if (images || dynamic_cast<const Counted*>(model.get()) != nullptr) continue;
    model->eval();
    const auto T = example.inputs.tokens.size(1);
    for (const bool padded : {false, true}) {
      for (const bool left : {false, true}) {
        if ((padded && row.fixed_length) || (left && (!padded || row.reads_source))) continue;
        INFO(row.name << (padded ? ", padded" : "") << (left ? " on the left" : ""));
        auto inputs = padded ? with_padding(example.inputs) : example.inputs;
        inputs.left_padded = left;
        auto graph = traced(*model, inputs);
        const auto other = smaller(inputs, 2, row.fixed_length ? T : 3, 2);
        auto stack = stack_of(other);
        graph.run(stack);
        CHECK(largest_difference(stack[0].toTensor(), model->forward(other)) < 1e-6);
      }
    }
  }
}

TEST_CASE("a trace of every architecture of images does not bake the batch") {
  const torch::NoGradGuard no_grad;
  for (const auto& row : architectures()) {
    torch::manual_seed(1);
    const auto example = (row.tiny_on_images != nullptr ? row.tiny_on_images : row.tiny)(3);
    if (!example.inputs.images.defined()) continue;
    INFO(row.name);
    const auto model = row.build(example.options, example.facts);
    model->eval();
    auto graph = traced(*model, example.inputs);
    const auto other = tiny_images(5);
    auto stack = stack_of(other);
    graph.run(stack);
    CHECK(largest_difference(stack[0].toTensor(), model->forward(other)) < 1e-6);
  }
}

}  // namespace
}  // namespace zoo
