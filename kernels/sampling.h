#pragma once

#include <cstdint>

namespace zoo {

/// Draws a token of each row by inverse CDF: logits [B, V], uniforms [B] in [0, 1) -> ids [B] and
/// their log-probabilities [B] in nats. No token that is impossible is drawn. Where a row has NaN
/// or infinity, or no possible token, its id is 0 and its log-probability NaN. On all threads where
/// that pays.
void sample_tokens(std::int64_t B, std::int64_t V, const float* logits, const double* uniforms,
                   std::int64_t* ids, double* log_probabilities);

}  // namespace zoo
