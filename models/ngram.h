#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/nn/module.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

struct NgramOptions {
  std::int64_t order = 2;
  double alpha = 1.0;
  bool interpolate = false;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("order", self.order, "Tokens of one n-gram: order - 1 of context and the next one.",
          at_least(1).up_to(64));
    visit("alpha", self.alpha, "Added to every count (Laplace).", at_least(0));
    visit("interpolate", self.interpolate,
          "Mix in the lower orders (Witten-Bell), instead of adding alpha above order 1.");
  }
  void validate(const std::string& /*path*/) const {}
};

/// Counted n-gram model: P(w | c) = (N(c, w) + alpha) / (N(c) + alpha V), c the last order - 1
/// tokens. A context that was never counted, with alpha 0, has the limit 1 / V. Before the start of
/// a line stand boundaries; where running text begins, the context is shorter. Interpolated (Witten
/// and Bell, 1991), with T(c) the number of distinct tokens after c:
/// P(w | c) = (N(c, w) + T(c) P(w | shorter c)) / (N(c) + T(c)).
///
///   tokens [B, T] -> contexts [M, n-1] -> ids of contexts [M] -> counts [M, V] -> log P [B, T, V]
///
/// B batch, T positions, M = B T, n order, V vocabulary. Contexts and n-grams lie in sorted arrays
/// of keys; a context of j tokens has the key (id of its last j-1 tokens) V + (token before them),
/// so keys stay small at every order.
class NgramImpl : public Model, public Counted {
 public:
  NgramImpl(const NgramOptions& options, const DataFacts& facts);

  /// tokens [B, T] -> logits [B, T, V], which are log-probabilities (-inf: impossible).
  torch::Tensor forward(const Inputs& inputs) override;

  void count(const Inputs& inputs, const torch::Tensor& targets) override;
  void finish_counting() override;
  std::int64_t order() const override { return options_.order; }
  std::int64_t distinct_grams() const override { return tables_.back().gram_keys.size(0); }

 private:
  /// What was counted for n-grams of one order m.
  struct Table {
    torch::Tensor context_keys;  // [K] sorted; contexts of m - 1 tokens (order 1: none)
    torch::Tensor gram_keys;     // [G] sorted; id of the context V + next token
    torch::Tensor gram_counts;   // [G]
    torch::Tensor totals;        // [K'], N(c) of each context
    torch::Tensor followers;     // [K'], T(c) of each context
  };

  Table register_table(std::int64_t order);
  /// The tokens before each target, newest first; -1 where there is none -> [B, T, n-1].
  torch::Tensor contexts(const Inputs& inputs) const;
  /// ids [M] of contexts one token longer; -1 for one that was never counted or is not there.
  static torch::Tensor longer_context(const Table& table, const torch::Tensor& ids,
                                      const torch::Tensor& token, std::int64_t V);
  /// Probabilities [M, V] of one order; `lower` [M, V] those of the order below, if it is needed.
  torch::Tensor probabilities(const Table& table, const torch::Tensor& ids,
                              const torch::Tensor& lower) const;

  NgramOptions options_;
  DataFacts facts_;
  std::vector<Table> tables_;           // [m - 1]: order m
  std::vector<torch::Tensor> counted_;  // rows [M, n]: context newest first, then the target
};
TORCH_MODULE(Ngram);

}  // namespace zoo
