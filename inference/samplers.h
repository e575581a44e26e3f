#pragma once

#include <cstdint>
#include <string>

#include <torch/types.h>

#include "core/options.h"

namespace zoo {

/// How the next token is drawn from a model's logits.
struct SamplingOptions {
  double temperature = 1.0;
  std::int64_t top_k = 0;
  double top_p = 1.0;
  double min_p = 0.0;
  double repetition_penalty = 1.0;
  bool greedy = false;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("temperature", self.temperature,
          "Divides the logits: below 1 the likely tokens gain, 0 takes the likeliest.",
          at_least(0));
    visit("top_k", self.top_k, "Keep this many of the likeliest tokens; 0: all.", at_least(0));
    visit("top_p", self.top_p,
          "Keep the smallest set of likeliest tokens with at least this probability together.",
          above(0).up_to(1));
    visit("min_p", self.min_p,
          "Keep tokens with at least this share of the likeliest token's probability.",
          at_least(0).below(1));
    visit("repetition_penalty", self.repetition_penalty,
          "Divides positive logits of tokens already in the row and multiplies negative ones.",
          above(0));
    visit("greedy", self.greedy, "Always take the likeliest token, as temperature 0 does.");
  }
  /// Holds values that no JSON reader checked to their ranges. Throws ConfigError.
  void validate(const std::string& path) const;
  /// Whether tokens are drawn from the model's own distribution.
  bool leaves_all() const {
    return temperature == 1.0 && top_k == 0 && top_p == 1.0 && min_p == 0.0 &&
           repetition_penalty == 1.0 && !greedy;
  }
};

/// Unnormalised log-probabilities of what may be drawn: logits [B, V], seen [B, V] -> [B, V]
/// float64.
///
/// In this order: repetition penalty (CTRL, Keskar et al. 2019) on the tokens of `seen` (bool; may
/// be undefined without a penalty), temperature, top-k, top-p on what top-k left (nucleus sampling,
/// Holtzman et al. 2020), min-p (Nguyen et al. 2024). What is excluded is -inf, the largest is 0.
/// Among equals the lower id ranks first, so that top-k keeps exactly k, or V where k > V.
/// Greedy keeps one token. Each row needs a finite logit and neither NaN nor +inf. No host sync.
torch::Tensor filtered_logits(const torch::Tensor& logits, const torch::Tensor& seen,
                              const SamplingOptions& options);

/// How undecided a model is: logits [B, V] -> [B] float64, nats.
torch::Tensor entropy(const torch::Tensor& logits);

/// One drawn token for each row.
struct Sampled {
  torch::Tensor ids;                ///< [B] int64
  torch::Tensor log_probabilities;  ///< [B] float64, nats, under the unfiltered logits; NaN where
                                    ///< these have a NaN or infinity, or are all impossible
};

/// Draws by inverse CDF: logits [B, V], seen [B, V], uniforms [B] float64 in [0, 1) -> ids [B].
/// A row's token is a function of the row's arguments alone, and no generator is touched. Any
/// device; all tensors on one. As with filtered_logits, there is no host sync.
Sampled sample(const torch::Tensor& logits, const torch::Tensor& seen,
               const torch::Tensor& uniforms, const SamplingOptions& options);

}  // namespace zoo
