#include "inference/attention_maps.h"

#include <torch/utils.h>

#include "core/errors.h"
#include "inference/translation.h"
#include "models/taps.h"

namespace zoo {
namespace {

constexpr const char* kSelf = "attention.weights";
constexpr const char* kCross = "cross_attention.weights";

/// "layer 2/attention.weights" -> "layer 2"; "" of a model with one layer alone.
std::string layer_of(const std::string& tap_name) {
  const auto slash = tap_name.find('/');
  return slash == std::string::npos ? "" : tap_name.substr(0, slash);
}

/// Whether a model reports attention at all.
bool attends(const Architecture& row) {
  const auto example = row.tiny(1);
  const auto model = row.build(example.options, example.facts);
  if (dynamic_cast<const Counted*>(model.get()) != nullptr) return false;
  model->eval();
  bool attended = false;
  const TapListener listener([&](const std::string& name, const torch::Tensor&) {
    attended = attended || name.ends_with(kSelf);
  });
  const torch::NoGradGuard no_grad;
  model->forward(example.inputs);
  return attended;
}

void require_attention(const Architecture& row) {
  if (attends(row)) return;
  std::vector<std::string> others;
  for (const auto& other : architectures()) {
    if (attends(other)) others.push_back(other.name);
  }
  throw UserError(
      text_of("architecture ", row.name, " has no attention; those that do: ", join(others, ", ")));
}

std::vector<std::string> names_of_tokens(const Tokenizer& tokenizer, const torch::Tensor& ids) {
  const auto there = ids.flatten().cpu();
  const auto id_at = there.accessor<std::int64_t, 1>();
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < id_at.size(0); ++i) names.push_back(tokenizer.decode({id_at[i]}));
  return names;
}

torch::Tensor row_of(const std::vector<std::int64_t>& ids, torch::Device device) {
  return torch::tensor(ids, torch::kInt64).to(device).unsqueeze(0);  // [1, T]
}

/// A text, or a source with the target written so far, as the model reads it.
Inputs inputs_with_target(const TrainedModel& trained, const std::string& text,
                          const std::string& target) {
  auto inputs = inputs_of(trained, {text}, "text");
  if (!translates(trained.config)) return inputs;
  auto written = trained.vocabulary.target().encode(target);
  written.insert(written.begin(), trained.facts.separator_id);
  const auto tokens = row_of(written, trained.device);
  inputs.tokens = inputs.tokens.defined() ? torch::cat({inputs.tokens, tokens}, 1) : tokens;
  const auto block = trained.block_size();
  require<UserError>(block == 0 || inputs.tokens.size(1) <= block, "text and target: have ",
                     inputs.tokens.size(1), " tokens and the model reads at most ", block,
                     "; shorten them");
  return inputs;
}

}  // namespace

std::vector<AttentionMap> attention_maps(const TrainedModel& trained, const std::string& text,
                                         const std::string& target) {
  require_attention(trained.architecture());
  const auto inputs = inputs_with_target(trained, text, target);
  const auto tokens = names_of_tokens(trained.vocabulary.target(), inputs.tokens);
  const auto source = inputs.source.defined()
                          ? names_of_tokens(trained.vocabulary.source(), inputs.source)
                          : std::vector<std::string>();
  std::vector<AttentionMap> maps;
  const TapListener listener([&](const std::string& name, const torch::Tensor& weights) {
    const bool cross = name.ends_with(kCross);
    if (!cross && !name.ends_with(kSelf)) return;
    const auto layer = layer_of(name);
    const bool of_source = !cross && layer.starts_with("encoder");
    const auto& queries = of_source ? source : tokens;
    maps.push_back({cross ? layer + (layer.empty() ? "" : ", ") + "cross-attention" : layer,
                    queries, cross ? source : queries,
                    weights[0].to(torch::kFloat32).cpu().contiguous()});
  });
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  trained.model.forward(inputs);
  return maps;
}

}  // namespace zoo
