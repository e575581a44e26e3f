#include "inference/filling.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"

namespace zoo {
namespace {

/// Fills the row of tokens [1, T] whose candidates are values and ids [1, T, K].
Filling filled_row(const TrainedModel& trained, const torch::Tensor& tokens,
                   const torch::Tensor& values, const torch::Tensor& ids) {
  const auto& tokenizer = trained.vocabulary.target();
  const auto& facts = trained.facts;
  const auto token_at = tokens.accessor<std::int64_t, 2>()[0];
  const auto value_at = values.accessor<double, 3>()[0];
  const auto id_at = ids.accessor<std::int64_t, 3>()[0];
  Filling filling;
  std::vector<std::int64_t> text;
  for (std::int64_t t = 0; t < tokens.size(1); ++t) {
    const auto id = token_at[t];
    if (id == facts.boundary_id || id == facts.separator_id) continue;
    if (id != facts.mask_id) {
      text.push_back(id);
      continue;
    }
    text.push_back(id_at[t][0]);
    filling.log_probability += std::log(value_at[t][0]);
    auto& candidates = filling.places.emplace_back();
    for (std::int64_t k = 0; k < ids.size(2); ++k) {
      candidates.push_back({tokenizer.decode({id_at[t][k]}), value_at[t][k]});
    }
  }
  filling.text = tokenizer.decode(text);
  return filling;
}

}  // namespace

std::vector<Filling> fill(const TrainedModel& trained, const std::vector<std::string>& texts,
                          std::int64_t count) {
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(trained.model);
  const auto& facts = trained.facts;
  const auto mask = trained.vocabulary.target().token(facts.mask_id);
  std::vector<Filling> fillings;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto inputs = inputs_of(trained, {texts[i]}, "text");
    const auto tokens = inputs.tokens.cpu();
    require<UserError>(tokens.eq(facts.mask_id).any().item<bool>(), "text ", i + 1, ": has no ",
                       mask, "; write it where a token is to be found");
    auto logits = trained.model.forward(inputs);  // [1, T, V]
    // Marks of a row are no answer.
    for (const auto id : {facts.boundary_id, facts.separator_id, facts.mask_id,
                          trained.vocabulary.target().padding_id()}) {
      if (id >= 0) logits.select(-1, id).fill_(-std::numeric_limits<float>::infinity());
    }
    const auto probabilities = logits.to(torch::kFloat64).softmax(-1).cpu();
    const auto [values, ids] = probabilities.topk(std::min(count, facts.vocab_size), -1);
    fillings.push_back(filled_row(trained, tokens, values, ids));
  }
  return fillings;
}

}  // namespace zoo
