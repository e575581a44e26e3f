#include <map>
#include <memory>
#include <string>
#include <vector>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "core/json_file.h"
#include "core/safetensors.h"
#include "models/blocks/kernel_functions.h"
#include "models/model.h"
#include "models/taps.h"
#include "tests/support/catch.h"
#include "tests/support/operator_watcher.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

constexpr double kTolerance = 2e-5;

/// A file of scripts/make_model_golden.py: a model of another library in zoo's own form.
struct Golden {
  std::shared_ptr<Model> model;
  nlohmann::json options;
  std::map<std::string, torch::Tensor> tensors;  // input.* and output.*
};

torch::Tensor tensor_of(const TensorEntry& entry) {
  const bool is_float = entry.dtype == "F32";
  REQUIRE((is_float || entry.dtype == "I64"));
  // from_blob reads through the pointer alone.
  auto* data = const_cast<char*>(entry.bytes.data());
  return torch::from_blob(data, entry.shape, is_float ? torch::kFloat32 : torch::kInt64).clone();
}

/// Every parameter of the model comes from the file, and every weight of the file is one. `changes`
/// are laid over the file's options.
Golden load(const std::string& name, const nlohmann::json& changes = nlohmann::json::object()) {
  const torch::NoGradGuard no_grad;
  const auto path = "tests/golden/" + name + ".safetensors";
  const auto bytes = read_file(path);
  const auto file = parse_safetensors(bytes, path);
  const auto facts = parse_json(file.metadata.at("facts"), path);
  DataFacts data;
  data.vocab_size = facts.value("vocab_size", std::int64_t{0});
  data.source_vocab_size = facts.value("source_vocab_size", std::int64_t{0});
  data.classes = facts.value("classes", std::int64_t{0});
  data.channels = facts.value("channels", std::int64_t{0});
  data.height = facts.value("height", std::int64_t{0});
  data.width = facts.value("width", std::int64_t{0});

  Golden golden;
  golden.options = parse_json(file.metadata.at("options"), path);
  golden.options.update(changes);
  golden.model = find_architecture(file.metadata.at("architecture")).build(golden.options, data);
  golden.model->eval();
  for (const auto& entry : file.tensors) golden.tensors[entry.name] = tensor_of(entry);
  for (auto& item : golden.model->named_parameters()) {
    INFO(item.key());
    const auto weight = golden.tensors.extract(item.key());
    REQUIRE(!weight.empty());
    REQUIRE(weight.mapped().sizes().vec() == item.value().sizes().vec());
    item.value().copy_(weight.mapped());
  }
  for (const auto& [left, tensor] : golden.tensors) {
    INFO(left);
    REQUIRE((left.starts_with("input.") || left.starts_with("output.")));
  }
  return golden;
}

Inputs inputs_of(const Golden& golden, const std::string& batch) {
  const std::map<std::string, torch::Tensor Inputs::*> members = {
      {"tokens", &Inputs::tokens},
      {"lengths", &Inputs::lengths},
      {"segments", &Inputs::segments},
      {"source", &Inputs::source},
      {"source_lengths", &Inputs::source_lengths},
      {"images", &Inputs::images}};
  const auto start = "input." + batch + ".";
  Inputs inputs;
  for (const auto& [name, tensor] : golden.tensors) {
    if (name.starts_with(start)) inputs.*members.at(name.substr(start.size())) = tensor;
  }
  return inputs;
}

/// The vectors of real positions: x [B, T, C], lengths [B] or undefined: all are real -> [N, C].
torch::Tensor real_of(const torch::Tensor& x, const torch::Tensor& lengths) {
  if (!lengths.defined()) return x.flatten(0, 1);
  return x.index({torch::arange(x.size(1)) < lengths.unsqueeze(1)});
}

void check_batch(const Golden& golden, const std::string& batch) {
  const auto inputs = inputs_of(golden, batch);
  const auto expected = [&](const char* name) {
    return golden.tensors.at("output." + batch + "." + name);
  };
  const auto& read = inputs.source.defined() ? inputs.source_lengths : inputs.lengths;
  auto& representation = dynamic_cast<Representation&>(*golden.model);
  CHECK(largest_difference(real_of(representation.represent(inputs), read),
                           real_of(expected("represented"), read)) < kTolerance);

  const auto logits = golden.model->forward(inputs);
  CHECK(logits.requires_grad() == torch::GradMode::is_enabled());
  if (logits.dim() == 2) {  // of classes
    CHECK(largest_difference(logits, expected("logits")) < kTolerance);
  } else {
    CHECK(largest_difference(real_of(logits, inputs.lengths),
                             real_of(expected("logits"), inputs.lengths)) < kTolerance);
  }
}

/// Compares on every path that an answer can take.
void check_answers(const std::string& name) {
  const auto golden = load(name);
  const bool attends = golden.options.contains("n_heads");
  if (attends) {
    const auto C = golden.options.at("d_model").get<std::int64_t>();
    const auto n_heads = golden.options.at("n_heads").get<std::int64_t>();
    REQUIRE(attention_kernel_serves(torch::zeros({1, 7, 3 * C}), n_heads));
  }
  for (const std::string batch : {"whole", "padded"}) {
    INFO(name << ", " << batch);
    {
      INFO("kernels");
      check_batch(golden, batch);
    }
    {
      INFO("without gradients");
      const torch::NoGradGuard no_grad;
      check_batch(golden, batch);
    }
    {
      INFO("plain operators");
      const OperatorWatcher watcher;
      REQUIRE(!kernels_serve(torch::zeros({1})));
      check_batch(golden, batch);
    }
    {
      INFO("open tap");
      int maps = 0;
      const TapListener listener([&](const std::string&, const torch::Tensor&) { ++maps; });
      check_batch(golden, batch);
      CHECK((maps > 0) == attends);
    }
  }
}

TEST_CASE("a BERT answers as Hugging Face's does with the same weights") {
  check_answers("bert");
  check_answers("bert_classes");
}

TEST_CASE("a GPT answers as Hugging Face's GPT-2 does with the same weights") {
  check_answers("gpt");
}

TEST_CASE("an encoder-decoder answers as torch.nn.Transformer does with the same weights") {
  check_answers("encoder_decoder");       // pre-norm
  check_answers("encoder_decoder_post");  // post-norm, sources with a vocabulary of their own
}

TEST_CASE("a decoder that writes token by token answers as torch.nn.Transformer does") {
  const torch::NoGradGuard no_grad;
  for (const std::string name : {"encoder_decoder", "encoder_decoder_post"}) {
    const auto golden = load(name);
    for (const std::string batch : {"whole", "padded"}) {
      INFO(name << ", " << batch);
      const auto inputs = inputs_of(golden, batch);
      const auto decoding = dynamic_cast<Decoder&>(*golden.model).start(inputs, FullBlock::kReread);
      std::vector<torch::Tensor> steps;
      for (const auto& tokens : inputs.tokens.unbind(1)) steps.push_back(decoding->step(tokens));
      const auto expected = golden.tensors.at("output." + batch + ".logits");
      CHECK(largest_difference(real_of(torch::stack(steps, 1), inputs.lengths),
                               real_of(expected, inputs.lengths)) < kTolerance);
    }
  }
}

TEST_CASE("recurrent networks answer as those of torch.nn do with the same weights") {
  for (const std::string name : {"rnn", "lstm", "gru", "gru_classes"}) check_answers(name);
}

TEST_CASE("a Vision Transformer answers as Hugging Face's does with the same weights") {
  for (const std::string name : {"vit", "vit_grey"}) {
    for (const auto& [pooling, output] : std::map<std::string, std::string>{
             {"cls", "output.whole.logits"}, {"mean", "output.whole.logits_mean"}}) {
      INFO(name << ", " << pooling);
      const auto golden = load(name, {{"pooling", pooling}});
      const auto inputs = inputs_of(golden, "whole");
      const auto expected = golden.tensors.at(output);
      CHECK(largest_difference(golden.model->forward(inputs), expected) < kTolerance);
      const torch::NoGradGuard no_grad;
      CHECK(largest_difference(golden.model->forward(inputs), expected) < kTolerance);
      const OperatorWatcher watcher;
      CHECK(largest_difference(golden.model->forward(inputs), expected) < kTolerance);
    }
  }
}

}  // namespace
}  // namespace zoo
